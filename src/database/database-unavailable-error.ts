/** The server of DATABASE_URL cannot be used. The message is for the person who starts the service. */
export class DatabaseUnavailableError extends Error {
  override readonly name = 'DatabaseUnavailableError';
}
