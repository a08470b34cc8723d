import { spawn } from 'node:child_process';
import { mkdtempSync, readFileSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text as readText } from 'node:stream/consumers';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Dispatcher } from 'undici';
import { Agent, EventSource } from 'undici';
import { buildCatalog, createCatalog } from '../cli/run-catalog';
import { fc } from '../support/properties';
import { exchange } from '../support/rest-client';
import { seedApiKey, seedProduct, seedShop } from '../support/seed';
import { useService } from '../support/service';

const service = useService({ rateLimit: 1_000_000 });
beforeAll(buildCatalog);

/** Everything that ends a line for some reader, such as Python's `splitlines`. */
const anyLineEnd = new RegExp(
  `[${['\n', '\r', '\v', '\f', '\u001c', '\u001d', '\u001e', '\u0085', '\u2028', '\u2029'].join('')}]`,
);

/**
 * Every text that PostgreSQL can store: all characters except NUL and lone surrogates, with those that end lines most
 * often.
 */
const shopText = fc
  .array(
    fc.oneof(
      fc.constantFrom('\u2028', '\u2029', '\u0085', '\n', '\r', '\r\n', '\v', '\f', '\u001c', '\u001e', '\ufeff'),
      fc.constantFrom('data: ', ':', '\\u2028', '"', '\\', '\u{1f600}', '\u{10ffff}', '\ufffd', '\uffff', 'é', '\n\n'),
      fc.string({ unit: 'binary', maxLength: 5 }),
    ),
    { minLength: 1, maxLength: 12 },
  )
  .map((parts) => parts.join('').replaceAll('\0', ''))
  .filter((text) => text !== '');

interface Entry {
  readonly id: string;
  readonly object: { readonly title: string; readonly vendor: string } | null;
}

/** Reads a shop's feed from the start until it is current, with a third-party EventSource. */
function readByEventSource(apiKey: string): Promise<readonly Entry[]> {
  const dispatcher = new Agent().compose(
    (dispatch): Dispatcher['dispatch'] =>
      (options, handler) =>
        dispatch({ ...options, headers: { ...options.headers, authorization: `Bearer ${apiKey}` } }, handler),
  );
  const source = new EventSource(`${service.origin}/changes?types=products`, { node: { dispatcher } });
  const entries: Entry[] = [];
  return new Promise<readonly Entry[]>((resolve, reject) => {
    source.onmessage = ({ data }) => void entries.push(JSON.parse(data as string) as Entry);
    source.addEventListener('current', () => resolve(entries));
    source.onerror = () => reject(new Error('The stream ended.'));
  }).finally(async () => {
    source.close();
    await dispatcher.destroy();
  });
}

/** The same stream as bytes: some readers end lines at more characters than event streams do. */
async function readStream(apiKey: string): Promise<string> {
  const headers = { Authorization: `Bearer ${apiKey}`, Accept: 'text/event-stream' };
  const { body } = await fetch(`${service.origin}/changes?types=products`, { headers });
  let text = '';
  for await (const chunk of body?.pipeThrough(new TextDecoderStream()) ?? []) {
    text += chunk;
    if (text.includes('\nevent: current') || text.startsWith('event: current')) break;
  }
  return text;
}

/** The products of a shop from the tools of `catalog mcp`, each requested by its exact vendor. */
async function readByTools(apiKey: string, vendors: readonly string[]): Promise<readonly (string | undefined)[]> {
  const catalog = createCatalog(service.database.url, { API_KEY: apiKey });
  const lines = vendors.map((vendor, id) => {
    const params = { name: 'list_products', arguments: { vendor, fields: ['title'] } };
    return JSON.stringify({ jsonrpc: '2.0', id, method: 'tools/call', params });
  });
  const { exitCode, stdout } = await catalog.withInput(Buffer.from(lines.join('\n')), 'mcp', '--url', service.origin);
  expect(exitCode).toBe(0);
  // As other programs might: every character that ends a line anywhere ends one here.
  const answers = stdout
    .trimEnd()
    .split(anyLineEnd)
    .map((line) => JSON.parse(line) as { id: number; result: { structuredContent: { data: { title: string }[] } } });
  return vendors.map((_, id) => answers.find((answer) => answer.id === id)?.result.structuredContent.data[0]?.title);
}

const integrators = readFileSync(join(__dirname, '../../docs/integrators.md'), 'utf8');
const [, relay = ''] = [...integrators.matchAll(/^```js\n([\s\S]*?)^```/gm)].map(([, block = '']) => block);

/** What the documented commands pass on of the feed, from its start. */
async function readByRelay(apiKey: string, count: number): Promise<readonly Entry[]> {
  const received: Entry[] = [];
  let onAll = (): void => undefined;
  const all = new Promise<void>((resolve) => (onAll = resolve));
  const target = createServer((request, response) => {
    void readText(request).then((body) => {
      received.push(JSON.parse(body) as Entry);
      response.end();
      if (received.length === count) onAll();
    });
  });
  await new Promise<void>((resolve) => target.listen(0, '127.0.0.1', resolve));
  const file = join(mkdtempSync(join(tmpdir(), 'catalog-relay-')), 'relay.mjs');
  writeFileSync(file, relay.replace('http://localhost:4000', service.origin).replace('after=now', 'types=products'));
  const environment = {
    ...process.env,
    KEY: apiKey,
    TARGET: `http://127.0.0.1:${(target.address() as AddressInfo).port}/`,
  };
  const child = spawn(process.execPath, [file], { env: environment, stdio: ['ignore', 'inherit', 'pipe'] });
  const failed = readText(child.stderr).then((said) => {
    if (said !== '') throw new Error(said);
  });
  await Promise.race([all, failed.then(() => all)]);
  child.kill();
  target.closeAllConnections();
  target.close();
  return received;
}

it('any text that a shop can hold arrives whole by event streams, the documented relay and catalog mcp', async () => {
  await fc.assert(
    fc.asyncProperty(fc.uniqueArray(shopText, { minLength: 30, maxLength: 60 }), async (texts) => {
      const shopId = await seedShop(service.sql);
      const { apiKey } = await seedApiKey(service.sql, shopId);
      for (const title of texts) await seedProduct(service.sql, shopId, { title, vendor: title });
      const { text: body } = await exchange(service.origin, '/v1/products?limit=200', {
        headers: { Authorization: `Bearer ${apiKey}` },
      });
      const { data } = JSON.parse(body) as { data: { id: string; title: string }[] };
      expect(data.map(({ title }) => title)).toEqual(texts);
      const expected = new Map(data.map(({ id, title }) => [id, title]));
      const titlesOf = (entries: readonly Entry[]) => new Map(entries.map(({ id, object }) => [id, object?.title]));
      expect(titlesOf(await readByEventSource(apiKey))).toEqual(expected);
      const stream = await readStream(apiKey);
      expect(stream.replaceAll('\n', '').split(anyLineEnd)).toHaveLength(1);
      expect(titlesOf(await readByRelay(apiKey, texts.length))).toEqual(expected);
      expect(await readByTools(apiKey, texts)).toEqual(texts);
    }),
    { numRuns: 6 },
  );
});
