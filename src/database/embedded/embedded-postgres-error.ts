/** Why the embedded PostgreSQL cannot run here, written for the person who starts the service. */
export class EmbeddedPostgresError extends Error {
  override readonly name = 'EmbeddedPostgresError';
}
