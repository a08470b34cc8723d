import { mkdtempSync, readFileSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { DemoService } from '../support/demo-service';
import { startDemoService } from '../support/demo-service';
import { exchange } from '../support/rest-client';
import type { Terminal } from './terminal';
import { openTerminal } from './terminal';

const text = readFileSync(join(__dirname, '../../docs/integrators.md'), 'utf8');
const blocksOf = (language: string): string[] =>
  [...text.matchAll(new RegExp(`^\`\`\`${language}\\n([\\s\\S]*?)^\`\`\``, 'gm'))].map(([, block = '']) => block);

let demo: DemoService;
let terminal: Terminal;
let directory: string;

beforeAll(async () => {
  demo = await startDemoService();
  directory = mkdtempSync(join(tmpdir(), 'catalog-integrators-'));
  // test/changes/event-text.slow.test.ts covers the other example, which makes a webhook of the stream.
  const [follow, , ...others] = blocksOf('js');
  expect(others).toEqual([]);
  writeFileSync(join(directory, 'follow.mjs'), onDemo(follow ?? ''));
  terminal = openTerminal({ directory, environment: { ...process.env, KEY: demo.apiKey } });
});
afterAll(async () => {
  await terminal?.close();
  await demo?.close();
});

const onDemo = (block: string): string => block.replaceAll('http://localhost:4000', demo.origin);
const read = (name: string): unknown => JSON.parse(readFileSync(join(directory, name), 'utf8'));

/** In the order of the document. */
const expectations: readonly ((output: string) => void | Promise<void>)[] = [
  (output) => expect(JSON.parse(output)).toMatchObject({ type: 'complete' }),
  (output) => expect(output).toMatch(/^[1-9]\d+ objects\n$/),
  async (output) => {
    expect(output).toBe('0 changes in 1 calls\n');
    // One object of every kind: changed, deleted, created.
    await demo.sql('DELETE FROM orders WHERE id IN (SELECT id FROM orders ORDER BY id LIMIT 3)');
    await demo.sql(
      "UPDATE orders SET financial_status = 'REFUNDED', tags = '{late}' WHERE id IN (SELECT id FROM orders ORDER BY id LIMIT 2)",
    );
    await demo.sql("UPDATE products SET title = 'Renamed' WHERE handle = 'gift-card'");
    await demo.sql(
      'UPDATE variants SET price = price || 1, title = NULL WHERE id IN (SELECT id FROM variants ORDER BY id LIMIT 3)',
    );
    await demo.sql('DELETE FROM products WHERE id = (SELECT product_id FROM variants ORDER BY id DESC LIMIT 1)');
    await demo.sql(
      "UPDATE collections SET title = 'Renamed', created_at = NULL WHERE id = (SELECT id FROM collections ORDER BY id LIMIT 1)",
    );
    await demo.sql(
      "INSERT INTO products (shop_id, external_id, title, handle, created_at, updated_at) SELECT shop_id, 'new', 'New', 'new', now(), now() FROM products LIMIT 1",
    );
    expect(await terminal.run('node follow.mjs')).toMatch(/^[1-9]\d+ changes in 1 calls\n$/);
    const followed = read('copy.json');
    // The copy equals an export made now.
    const [download = '', load = ''] = blocksOf('sh');
    await terminal.run(onDemo(download));
    await terminal.run(load);
    expect(followed).toEqual(read('copy.json'));
  },
  (output) => expect(JSON.parse(output)).toMatchObject({ data: [], has_more: false }),
];

it('every command of docs/integrators.md does what the text says', async () => {
  const commands = blocksOf('sh');
  expect(commands).toHaveLength(expectations.length);
  for (const [index, command] of commands.entries()) await expectations[index]?.(await terminal.run(onDemo(command)));
});

it('the limits in the table of costs are right', async () => {
  const ask = async (query: string): Promise<{ errors?: unknown }> => {
    const { text: body } = await exchange(demo.origin, '/graphql', {
      method: 'POST',
      headers: { Authorization: `Bearer ${demo.apiKey}`, 'Content-Type': 'application/json' },
      body: JSON.stringify({ query }),
    });
    return JSON.parse(body) as { errors?: unknown };
  };
  expect(await ask('{ products(first: 200) { nodes { id title variants { id sku price } } } }')).not.toHaveProperty(
    'errors',
  );
  expect(await ask('{ changes(first: 200) { nodes { id } } }')).not.toHaveProperty('errors');
  expect(await ask('{ changes(first: 201) { nodes { id } } }')).toHaveProperty('errors');
});
