import { Client } from 'pg';

/** Runs statements one after another on a connection of their own, and returns the rows of the last one. */
export async function runStatements<Row>(url: string, ...statements: readonly string[]): Promise<Row[]> {
  const client = new Client({ connectionString: url });
  await client.connect();
  try {
    let rows: Row[] = [];
    for (const statement of statements) rows = (await client.query(statement)).rows as Row[];
    return rows;
  } finally {
    await client.end();
  }
}
