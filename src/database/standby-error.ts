/** The server that responds is a standby, not the primary that DATABASE_URL must lead to. */
export class StandbyError extends Error {
  override readonly name = 'StandbyError';

  constructor() {
    super(
      'this server is a standby; DATABASE_URL must lead to the primary, and replicas belong in DATABASE_REPLICA_URLS',
    );
  }
}
