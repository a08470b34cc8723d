/** A failure whose message is written for the person at the command line: printed as it is, without a stack. Exit code 1. */
export class CliError extends Error {
  override readonly name = 'CliError';

  constructor(
    readonly code: 'NOT_FOUND' | 'ALREADY_EXISTS',
    message: string,
  ) {
    super(message);
  }
}

/** The command line itself is wrong in a way that its grammar does not show. Exit code 2, like every wrong usage. */
export class UsageError extends Error {
  override readonly name = 'UsageError';
}
