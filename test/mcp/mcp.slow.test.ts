import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
import type { Scope } from '../../src/auth/api-key';
import { buildCatalog, createCatalog } from '../cli/run-catalog';
import { exchange } from '../support/rest-client';
import { seedApiKey, seedCollection, seedOrder, seedProduct, seedShop, seedVariant } from '../support/seed';
import { startService, useService } from '../support/service';
import { manifestOf } from './manifest';
import { readRows } from '../support/read-rows';

const manifest = manifestOf({
  titles: 'query ProductTitles($first: Int!) { products(first: $first) { nodes { title } } }',
  new: 'query ProductTitles { products(first: 1) { nodes { title } } }',
  several: 'query First { shop { name } } query Second { shop { id } }',
  plain: '{ shop { name } }',
});

let shopId: string;
let apiKey: string;
const service = useService({
  rateLimit: 100_000,
  settings: { TRUSTED_DOCUMENTS_FILE: manifest, TRUSTED_DOCUMENTS_MODE: 'also' },
});
beforeAll(async () => {
  buildCatalog();
  shopId = await seedShop(service.sql);
  ({ apiKey } = await seedApiKey(service.sql, shopId));
  for (let count = 0; count < 12; count += 1) {
    const product = await seedProduct(service.sql, shopId, { title: `Mug ${count} “é”`, vendor: 'Öhlund' });
    await seedVariant(service.sql, shopId, product);
  }
  await seedCollection(service.sql, shopId);
  await seedOrder(service.sql, shopId);
});

const version = '2026-07-28';
const meta = {
  'io.modelcontextprotocol/protocolVersion': version,
  'io.modelcontextprotocol/clientInfo': { name: 't', version: '1' },
  'io.modelcontextprotocol/clientCapabilities': {},
};

type Era = 'modern' | 'legacy';

async function connect(era: Era = 'modern', key = apiKey): Promise<Client> {
  const client = new Client(
    { name: 'test', version: '1.0.0' },
    era === 'modern' ? { versionNegotiation: { mode: 'auto' } } : {},
  );
  const headers = { Authorization: `Bearer ${key}` };
  await client.connect(
    new StreamableHTTPClientTransport(new URL(`${service.origin}/mcp`), { requestInit: { headers } }),
  );
  return client;
}

type Given = Readonly<Record<string, unknown>>;

async function call(client: Client, name: string, given: Given = {}) {
  const { structuredContent, content, isError = false } = await client.callTool({ name, arguments: given });
  const [first] = content;
  const text = first?.type === 'text' ? first.text : '';
  return { body: structuredContent as Record<string, unknown> | undefined, text, isError };
}

const rest = async (path: string, key = apiKey): Promise<string> =>
  (await exchange(service.origin, path, { headers: { Authorization: `Bearer ${key}` } })).text;

/** Tools show more of an object than REST does (D24); here these members are empty. */
const withMore = (name: string, text: string): string =>
  name === 'list_orders'
    ? text.replaceAll(/("updated_at":[^,}]+)\}/g, '$1,"line_items":[]}')
    : name === 'get_product'
      ? text.replace(',"variants":[', ',"url":null,"images":[],"collections":[],"memberships":[]$&')
      : text;

describe.each<Era>(['modern', 'legacy'])('tools of a %s client', (era) => {
  let client: Client;
  beforeAll(async () => {
    client = await connect(era);
  });
  afterAll(() => client.close());

  it('has at most ten, which fit into two thousand tokens, and which only read', async () => {
    const { tools } = await client.listTools();
    expect(tools.map(({ name }) => name)).toEqual([
      'get_shop',
      'list_products',
      'get_product',
      'list_collections',
      'list_orders',
      'list_changes',
      'get_product_figures',
      'get_order_figures',
      'run_document',
    ]);
    // JSON of such words has 4.4 characters per token of o200k.
    expect(JSON.stringify(tools).length).toBeLessThan(8_800);
    for (const { annotations } of tools) expect(annotations).toMatchObject({ readOnlyHint: true });
  });

  it('returns what REST returns, byte for byte, and further members', async () => {
    const { data } = JSON.parse(await rest('/v1/products?limit=2')) as { data: { id: string }[] };
    const id = data[0]?.id ?? '';
    const pairs: [string, Given, string][] = [
      ['get_shop', {}, '/v1/shop'],
      ['list_products', { limit: 5, q: 'mug', vendor: 'Öhlund' }, '/v1/products?limit=5&q=mug&vendor=%C3%96hlund'],
      ['get_product', { product_id: id }, `/v1/products/${id}`],
      ['list_collections', { published: true }, '/v1/collections?published=true'],
      ['list_products', { search: ' ' }, '/v1/products'],
      ['list_orders', {}, '/v1/orders'],
      ['list_changes', { types: ['orders', 'collections'] }, '/changes?types=orders,collections'],
    ];
    for (const [name, given, path] of pairs) {
      const { body, text } = await call(client, name, given);
      const expected = withMore(name, await rest(path));
      expect(text).toBe(expected);
      expect(JSON.stringify(body)).toBe(expected);
    }
  });

  it('lists in pages of 25,000 characters, each object once', async () => {
    const shop = await seedShop(service.sql);
    const { apiKey: key } = await seedApiKey(service.sql, shop);
    for (let count = 0; count < 30; count += 1)
      await seedProduct(service.sql, shop, { description_html: 'x'.repeat(500 * (count % 9)) });
    const own = await connect(era, key);
    const ids: string[] = [];
    for (let cursor: unknown; cursor !== null;) {
      const { body, text } = await call(own, 'list_products', cursor === undefined ? {} : { cursor });
      expect(text.length).toBeLessThanOrEqual(25_000);
      const { data, next_cursor: next } = body as { data: { id: string }[]; next_cursor: string | null };
      ids.push(...data.map(({ id }) => id));
      cursor = next;
    }
    expect(new Set(ids).size).toBe(30);
    expect(ids).toHaveLength(30);
    const changed: string[] = [];
    for (let page = { has_more: true, next_cursor: undefined as string | undefined }; page.has_more;) {
      const given = { limit: 200, ...(page.next_cursor !== undefined && { after: page.next_cursor }) };
      const { body, text } = await call(own, 'list_changes', given);
      expect(text.length).toBeLessThanOrEqual(25_000);
      page = body as typeof page;
      changed.push(...(body as unknown as { data: { id: string }[] }).data.map(({ id }) => id));
    }
    expect([...changed].sort()).toEqual([...ids].sort());
    const more = await call(own, 'list_products', { max_characters: 650_000 });
    expect(more.text).toBe(await rest('/v1/products', key));
    await own.close();
  });
});

it('a single object that is too large is refused with a remedy that works', async () => {
  const shop = await seedShop(service.sql);
  const { apiKey: key } = await seedApiKey(service.sql, shop);
  const product = await seedProduct(service.sql, shop, { title: 'Large', description_html: 'x'.repeat(60_000) });
  const client = await connect('modern', key);
  for (const [name, given] of [
    ['list_products', {}],
    ['get_product', { product_id: product }],
  ] as [string, Given][]) {
    const { text, isError } = await call(client, name, given);
    expect([isError, text]).toEqual([true, expect.stringContaining('ANSWER_TOO_LARGE')]);
    const smaller = await call(client, name, { ...given, fields: ['title'] });
    expect(smaller.text).toContain('{"title":"Large"}');
  }
  await client.close();
});

it.each(readRows<[string, Given, string]>(__dirname, 'wrong-arguments.json'))(
  '%s with %j is an error that says what was expected',
  async (name, given, message) => {
    const client = await connect();
    const { isError, text } = await call(client, name, given);
    expect([isError, text.replaceAll('\\"', '"')]).toEqual([true, expect.stringContaining(message)]);
    await client.close();
  },
);

it('runs the documents of the manifest, by their names', async () => {
  const client = await connect();
  const { body } = await call(client, 'run_document', { name: 'ProductTitles', variables: { first: 1 } });
  expect(body).toMatchObject({ data: { products: { nodes: [{ title: 'Mug 0 “é”' }] } } });
  const wrong = await call(client, 'run_document', { name: 'ProductTitles' });
  expect(wrong.text).toContain('first');
  await client.close();
});

it.each<[Scope, string[]]>([
  ['account:read', ['get_shop']],
  ['catalog:read', ['list_products', 'get_product', 'list_collections', 'list_changes', 'get_product_figures']],
  ['orders:read', ['list_orders', 'list_changes', 'get_order_figures']],
])('a credential for %s has the tools of that scope, and others answer FORBIDDEN', async (scope, names) => {
  const { apiKey: key } = await seedApiKey(service.sql, shopId, { scopes: [scope] });
  const client = await connect('modern', key);
  const { tools } = await client.listTools();
  expect(tools.map(({ name }) => name)).toEqual([...names, 'run_document']);
  const other = scope === 'account:read' ? 'list_orders' : 'get_shop';
  expect((await call(client, other)).text).toContain('FORBIDDEN');
  await client.close();
});

describe('over HTTP', () => {
  const send = (headers: Readonly<Record<string, string>>, method = 'POST', body: string | Buffer = ping) =>
    exchange(service.origin, '/mcp', {
      method,
      headers: { 'Content-Type': 'application/json', Accept: 'application/json, text/event-stream', ...headers },
      ...(method === 'POST' && { body }),
    });
  const ping = JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'tools/list' });

  it.each([
    ['https://evil.example', 403],
    ['null', 403],
  ])('a page of %s is refused', async (origin, expected) => {
    const { status, headers } = await send({ Authorization: `Bearer ${apiKey}`, Origin: origin });
    expect([status, headers['access-control-allow-origin']]).toEqual([expected, undefined]);
  });

  it('a page of its own origin is accepted', async () => {
    const { status } = await send({ Authorization: `Bearer ${apiKey}`, Origin: new URL(service.publicUrl).origin });
    expect(status).toBe(200);
  });

  it.each([
    [undefined, 'application/json'],
    ['application/json', 'application/json'],
    ['*/*', 'application/json'],
    ['application/json, text/event-stream', 'application/json'],
    ['text/event-stream', 'application/json'],
    ['text/html', 'application/json'],
  ])('a client that accepts %j gets %s, in both protocols', async (accept, expected) => {
    for (const modern of [false, true]) {
      const { status, headers, text } = await exchange(service.origin, '/mcp', {
        method: 'POST',
        headers: {
          Authorization: `Bearer ${apiKey}`,
          'Content-Type': 'application/json',
          ...(accept !== undefined && { Accept: accept }),
          ...(modern && { 'MCP-Protocol-Version': version, 'Mcp-Method': 'tools/list' }),
        },
        // Parameters that are null count as absent.
        body: JSON.stringify({
          jsonrpc: '2.0',
          id: 7,
          method: 'tools/list',
          params: { cursor: null, ...(modern && { _meta: meta }) },
        }),
      });
      expect([status, headers['content-type']]).toEqual([200, expected]);
      expect(JSON.parse(text)).toMatchObject({ id: 7, result: { tools: { length: 9 } } });
    }
  });

  it.each([[1], [50], [1_000]])('a batch of %i calls is refused before anything runs', async (count) => {
    const list = { jsonrpc: '2.0', method: 'tools/call', params: { name: 'get_shop', arguments: {} } };
    const body = JSON.stringify(Array.from({ length: count }, (_, id) => ({ ...list, id })));
    const answer = await send({ Authorization: `Bearer ${apiKey}` }, 'POST', body);
    expect([answer.status, answer.body]).toEqual([
      400,
      { jsonrpc: '2.0', id: null, error: { code: -32600, message: expect.stringContaining('Batches') as string } },
    ]);
  });

  it.each<[string, unknown, string]>([
    ['tools/list', { cursor: 5 }, 'params.cursor: '],
    ['tools/call', null, 'params: '],
    ['tools/call', { name: 5 }, 'params.name: '],
    ['tools/call', { name: 'get_shop', arguments: [] }, 'params.arguments: '],
    ['initialize', {}, 'params.protocolVersion: '],
  ])('%s with %j is an error that says in a sentence what was expected', async (method, params, message) => {
    const { text } = await send(
      { Authorization: `Bearer ${apiKey}` },
      'POST',
      JSON.stringify({ jsonrpc: '2.0', id: 'a', method, params }),
    );
    expect(JSON.parse(text)).toMatchObject({ id: 'a', error: { code: -32602 } });
    const { error } = JSON.parse(text) as { error: { message: string } };
    expect(error.message).toMatch(new RegExp(`^${message}[^\\n{]+\\.$`));
  });

  it('a body that is not UTF-8 is refused, because its texts would match nothing', async () => {
    const call = { method: 'tools/call', params: { name: 'list_products', arguments: { q: 'é' } } };
    const body = Buffer.from(JSON.stringify({ jsonrpc: '2.0', id: 1, ...call }), 'latin1');
    const answer = await send({ Authorization: `Bearer ${apiKey}` }, 'POST', body);
    expect([answer.status, answer.body]).toMatchObject([400, { error: { code: -32700 } }]);
  });

  it.each([
    ['{'],
    ['[]'],
    ['"x"'],
    ['{"jsonrpc":"2.0"}'],
    ['{"jsonrpc":"2.0","id":1,"method":"nothing"}'],
    [`"${'x'.repeat(300_000)}"`],
  ])('a body that is not a call (%#) is refused, without revealing internals', async (body) => {
    const { status, text } = await send({ Authorization: `Bearer ${apiKey}` }, 'POST', body);
    expect(status === 200 || (status >= 400 && status < 500)).toBe(true);
    expect(text).not.toMatch(/node_modules|\.ts:| {4}at /);
    if (status === 200) expect(text).toContain('"error"');
  });

  it.each(['limit', 'fields', 'q', 'nothing'])(
    '%s that is nested deeply is refused like any other value',
    async (name) => {
      const deep = `${'['.repeat(60_000)}${']'.repeat(60_000)}`;
      const call = `{ "name": "list_products", "arguments": { "${name}": ${deep} } }`;
      const body = `{ "jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": ${call} }`;
      const { text } = await send({ Authorization: `Bearer ${apiKey}` }, 'POST', body);
      expect(text).toContain('BAD_USER_INPUT');
    },
  );

  it('no subscription keeps a request open: nothing that could be announced changes', async () => {
    const body = {
      jsonrpc: '2.0',
      id: 1,
      method: 'subscriptions/listen',
      params: { _meta: meta, notifications: { toolsListChanged: true } },
    };
    const headers = { Authorization: `Bearer ${apiKey}`, 'MCP-Protocol-Version': version, 'Mcp-Method': body.method };
    expect((await send(headers, 'POST', JSON.stringify(body))).text).toContain('"error"');
  });

  it('is disabled by MCP=false', async () => {
    const closed = await startService({ settings: { MCP: 'false' } });
    expect((await exchange(closed.origin, '/mcp', { method: 'POST', body: ping })).status).toBe(404);
    await closed.close();
  });
});

describe('catalog mcp', () => {
  const lines = (...messages: readonly object[]): Buffer =>
    Buffer.from(messages.map((message) => `${JSON.stringify(message)}\n`).join(''));
  const hello = {
    jsonrpc: '2.0',
    id: 'hello',
    method: 'initialize',
    params: { protocolVersion: '2025-11-25', capabilities: {}, clientInfo: { name: 't', version: '1' } },
  };
  const list = { jsonrpc: '2.0', id: 2, method: 'tools/list' };
  const orders = { jsonrpc: '2.0', id: 3, method: 'tools/call', params: { name: 'list_orders', arguments: {} } };

  it('serves the same over standard input and output', async () => {
    const catalog = createCatalog('', { API_KEY: apiKey, NODE_ENV: 'production' });
    const input = lines(hello, { jsonrpc: '2.0', method: 'notifications/initialized' }, list, orders);
    const { exitCode, stdout, stderr } = await catalog.withInput(input, 'mcp', '--url', service.origin);
    expect([exitCode, stderr]).toEqual([0, '']);
    const answers = stdout
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line) as { id: unknown; result: Record<string, unknown> });
    const of = (id: unknown) => answers.find((answer) => answer.id === id)?.result;
    expect(answers).toHaveLength(3);
    expect(of('hello')).toMatchObject({ serverInfo: { name: 'catalog-read-api' } });
    expect(of(2)).toHaveProperty('tools.length', 9);
    expect(JSON.stringify(of(3)?.['structuredContent'])).toBe(withMore('list_orders', await rest('/v1/orders')));
  });

  it('says for each message why the service does not respond', async () => {
    const wrong = createCatalog(service.database.url, { API_KEY: 'ck_wrong.key' });
    const refused = await wrong.withInput(lines(list), 'mcp', '--url', service.origin);
    expect(JSON.parse(refused.stdout)).toMatchObject({
      id: 2,
      error: { code: -32000, message: expect.stringMatching(/^UNAUTHORIZED: /) as string },
    });
    const away = await wrong.withInput(
      Buffer.from(`no json\n${JSON.stringify(list)}\n`),
      'mcp',
      '--url',
      'http://127.0.0.1:9',
    );
    expect(
      away.stdout
        .trim()
        .split('\n')
        .map((line) => JSON.parse(line) as object),
    ).toMatchObject([
      { id: null, error: { code: -32700 } },
      { id: 2, error: { code: -32000 } },
    ]);
    const without = await createCatalog(service.database.url)('mcp');
    expect([without.exitCode, without.stderr]).toEqual([2, expect.stringContaining('API_KEY')]);
  });
});
