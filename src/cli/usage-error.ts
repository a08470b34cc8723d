/** The command line is wrong in a way that its grammar does not show. Exit code 2, like every wrong usage. */
export class UsageError extends Error {
  override readonly name = 'UsageError';

  constructor(
    message: string,
    /** More lines for people. */
    readonly details?: string,
  ) {
    super(message);
  }
}
