import { Pool } from 'pg';
import type { Sql } from './test-database';

/** Plain SQL on a server that a test may stop. Lost connections are ignored. */
export interface SqlPool {
  readonly sql: Sql;
  end(): Promise<void>;
}

export function openSqlPool(url: string, connections = 1): SqlPool {
  const pool = new Pool({ connectionString: url, max: connections, options: '-c TimeZone=UTC' });
  pool.on('error', () => undefined);
  return {
    sql: async <Row>(text: string, values?: unknown[]) => (await pool.query(text, values)).rows as Row[],
    end: () => pool.end(),
  };
}
