import type { Random } from '../../../test/support/random';
import type { Attack, Scene } from '../attack';
import type { Shot } from '../attacker';

const json = { 'Content-Type': 'application/json', Accept: 'application/json, text/event-stream' };
const list = '{ products(first: 200) { nodes { id title descriptionHtml variants { id } } } }';
const post = (path: string, body: unknown): Shot => ({
  path,
  method: 'POST',
  headers: json,
  body: JSON.stringify(body),
});
const many = <Value>(random: Random, make: () => Value): readonly Value[] =>
  Array.from({ length: random.integer(2, 60) }, make);
const tool = (random: Random) => ({
  jsonrpc: '2.0',
  id: random.integer(1, 1e6),
  method: random.pick(['tools/call', 'tools/list', 'ping']),
  params: { name: random.pick(['list_products', 'list_changes', 'get_shop']), arguments: { limit: 200 } },
});

/** Calls that would run several operations, or make a large answer, for one charge. */
const shapes: readonly ((random: Random) => Shot)[] = [
  (random) =>
    post(
      '/mcp',
      many(random, () => tool(random)),
    ),
  (random) => post('/mcp', { ...tool(random), batch: many(random, () => tool(random)) }),
  (random) =>
    post(
      '/graphql',
      many(random, () => ({ query: list })),
    ),
  (random) => post('/graphql', { query: `{ ${many(random, () => 0).map((_, n) => `a${n}: ${list.slice(2, -2)}`).join(' ')} }` }), // prettier-ignore
  (random) => post(`/graphql?${many(random, () => `query=${encodeURIComponent(list)}`).join('&')}`, { query: list }),
  (random) => ({ path: `/v1/products?${many(random, () => 'limit=200').join('&')}` }),
  (random) => ({ path: `/changes?limit=200&types=${many(random, () => 'products').join(',')}` }),
  (random) => ({ path: `/export?${many(random, () => 'format=csv&type=products').join('&')}` }),
];

const mostBytes = 8 * 1024 * 1024;

/** Every call must be charged at least once, and get one bounded response. */
async function tryCalls({ attacker, random, shop, isRunning, fail }: Scene): Promise<void> {
  const { apiKey } = await shop.createKey();
  for (let calls = 1; calls <= 100 && isRunning(); calls += 1) {
    const shot = random.pick(shapes)(random);
    const { status, headers, text, bytes } = await attacker.send({ ...shot, apiKey });
    const example = `${shot.path.slice(0, 60)} ${shot.body?.slice(0, 100) ?? ''}`;
    if (status === 0 || status === 503) continue;
    const [limit, left] = ['ratelimit-limit', 'ratelimit-remaining'].map((name) => Number(headers[name]));
    if (!(Number(left) <= Number(limit) - calls)) fail('a call was not charged', example);
    if (bytes > mostBytes) fail(`a response of ${bytes} bytes`, example);
    if (status === 200 && text.startsWith('[')) fail('a batch was executed', example);
  }
}

export const unchargedOperations: Attack = {
  name: 'uncharged-operations',
  what: 'batches, aliases and repeated parameters that would run several operations for one charge',
  seconds: { full: 30, short: 3 },
  run: (scene) => scene.attacker.flood(4, () => tryCalls(scene)),
};
