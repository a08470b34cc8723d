/** The server that answers is a standby, and not the primary that DATABASE_URL has to lead to. */
export class StandbyError extends Error {
  override readonly name = 'StandbyError';

  constructor() {
    super(
      'this server is a standby; DATABASE_URL must lead to the primary, and replicas belong into DATABASE_REPLICA_URLS',
    );
  }
}
