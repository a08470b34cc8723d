/** A failure whose message is written for the command-line user: printed as it is, without a stack. */
export class AdministrationError extends Error {
  override readonly name = 'AdministrationError';

  constructor(
    readonly code:
      | 'NOT_FOUND'
      | 'ALREADY_EXISTS'
      | 'COMPOSITION_FAILED'
      | 'TRIGGERS_DISABLED'
      | 'SUBSCRIPTION_COPYING'
      | 'NOT_REPAIRED'
      | 'PULL_FAILED'
      | 'NOT_DISTRIBUTABLE',
    message: string,
  ) {
    super(message);
  }
}
