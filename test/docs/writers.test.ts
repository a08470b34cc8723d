import type { DatabaseError } from 'pg';
import { Client } from 'pg';
import { citusUrl } from '../support/citus-database';
import { createTestDatabase } from '../support/test-database';
import { copyIn } from '../support/copy-in';
import { blocks } from './writers-examples';

let client: Client;
let drop: () => Promise<void>;

beforeAll(async () => {
  const database = await createTestDatabase();
  drop = () => database.drop();
  client = new Client({
    connectionString: database.url,
    types: { getTypeParser: (oid: number) => (oid === 20 || oid === 23 ? Number : (text: string) => text) },
  });
  await client.connect();
});

afterAll(async () => {
  await client.end();
  await drop();
});

/** Citus names the shard's constraint, and only in the message. */
const constraintOrState = ({ constraint, code, message }: DatabaseError): string | undefined =>
  constraint ?? (citusUrl === undefined ? undefined : /constraint "(\w+?)(?:_\d+)?"/.exec(message)?.[1]) ?? code;

const dataVersion = async (): Promise<unknown> =>
  (await client.query<{ data_version: number }>('SELECT data_version FROM shops')).rows[0]?.data_version;

describe('docs/writers.md', () => {
  it('shows statements, refusals and results at all', () => {
    expect(blocks.filter(({ text }) => text.startsWith('-- refused: ')).length).toBeGreaterThanOrEqual(10);
    expect(blocks.filter(({ text }) => /^-- \{/m.test(text)).length).toBeGreaterThanOrEqual(5);
  });

  it.each(
    blocks.map(({ language, text }, index) => [`block ${index + 1}: ${text.split('\n')[0]}`, language, text, index]),
  )('is true in %s', async (_name, language, text, index) => {
    if (language !== 'sql') return;
    const following = blocks[Number(index) + 1];
    const refusal = /^-- refused: (\S+)/.exec(String(text))?.[1];
    if (refusal !== undefined) {
      await expect(client.query(String(text)).catch(constraintOrState)).resolves.toBe(refusal);
      return;
    }
    if (following?.language === 'tsv') {
      const copy = /^COPY .* FROM STDIN;$/m.exec(String(text));
      await client.query(String(text).slice(0, copy?.index));
      await copyIn(client, copy?.[0] ?? '', following.text);
      return;
    }
    await checkResults(String(text));
  });

  it('leaves the version alone when a bulk statement brings nothing new', async () => {
    const bulk = blocks.find(({ text }) => text.includes('jsonb_to_recordset'))?.text ?? '';
    await client.query(bulk);
    const before = await dataVersion();
    await client.query(bulk);
    expect(await dataVersion()).toBe(before);
  });
});

/** Runs the block in pieces that end with an expected row, so that every expectation is compared. */
async function checkResults(block: string): Promise<void> {
  for (const piece of block.split(/(?<=^-- \{.*\}$)\n?/m)) {
    if (piece.trim() === '') continue;
    const answers: unknown = await client.query(piece);
    const last = (Array.isArray(answers) ? answers : [answers]).at(-1) as { rows: unknown[] };
    const expected = /^-- (\{.*\})$/m.exec(piece)?.[1];
    if (expected !== undefined) expect(last.rows[0]).toEqual(JSON.parse(expected));
  }
}
