import type { Socket } from 'node:net';
import { setTimeout as delay } from 'node:timers/promises';
import type { SeededKey } from '../../../test/support/seed';
import type { Attack, Scene } from '../attack';
import { countConnections } from '../process-figures';

/** Changes products of the attacker's shop, all of which every stream of it has to be sent. */
async function changeProducts({ goesOn, sql, shop }: Scene): Promise<void> {
  for (let turn = 0; goesOn(); turn += 1) {
    await sql(
      `UPDATE products SET vendor = $2, updated_at = now() WHERE id IN (SELECT id FROM products WHERE shop_id = $1 ORDER BY external_id LIMIT 100 OFFSET $3)`,
      [shop.shopId, `Kiln ${turn}`, (turn % 20) * 100],
    );
    await delay(500);
  }
}

/** Opens a stream, or a long poll. */
function ask({ attacker, random }: Scene, { apiKey }: SeededKey, isReading: boolean): Socket {
  const socket = attacker.open();
  const accept = random.pick(['text/event-stream', 'text/event-stream', 'application/json']);
  const after = random.pick(['', '&after=now', '&after=now']);
  const target = `/changes?limit=200&wait=${random.integer(1, 55)}${after}`;
  attacker.write(
    socket,
    `GET ${target} HTTP/1.1\r\nHost: a\r\nAuthorization: Bearer ${apiKey}\r\nAccept: ${accept}\r\n\r\n`,
  );
  if (isReading) socket.resume();
  else socket.pause();
  return socket;
}

export const slowStreams: Attack = {
  name: 'slow-streams',
  what: 'a thousand streams of changes and long polls of one shop, most of which read nothing or a little, while its products change',
  target: 'plain',
  seconds: { full: 50, short: 5 },
  async run(scene) {
    const { attacker, random, shop, isShort, goesOn, note, fail } = scene;
    const count = isShort ? 100 : 1_000;
    const keys = await Promise.all(Array.from({ length: 4 }, () => shop.createKey()));
    const silent: Socket[] = [];
    const others: Socket[] = [];
    const open = (isReading: boolean): Socket => ask(scene, random.pick(keys), isReading);
    while (silent.length + others.length < count && goesOn()) {
      for (let more = 0; more < 50; more += 1) {
        if (random.chance(0.6)) silent.push(open(false));
        else others.push(open(random.chance(0.7)));
      }
      await delay(100);
    }
    const changing = changeProducts(scene);
    while (goesOn()) {
      for (const [index, socket] of others.entries()) if (socket.destroyed) others[index] = open(random.chance(0.7));
      for (const socket of others) if (socket.isPaused() && random.chance(0.2)) socket.read(random.integer(1, 4_000));
      await delay(500);
    }
    await changing;
    const left = countConnections(scene.service.port, attacker.address);
    note(`${left} connections left`);
    const { status } = await attacker.send({ path: '/v1/shop', apiKey: (await shop.createKey()).apiKey });
    if (status !== 200) fail(`the shop itself gets ${status}`);
    for (const socket of [...silent, ...others]) socket.resetAndDestroy();
  },
};

const envelope = { 'io.modelcontextprotocol/protocolVersion': '2026-07-28' };

/** Messages that are almost right, and some that cost as much as one may. */
function message({ random }: Scene): string {
  const wide = { limit: 200, fields: ['id', 'title', 'description_html', 'variants', 'tags'] };
  const name = random.pick([
    'list_products',
    'list_products',
    'list_orders',
    'list_changes',
    'get_product',
    'get_shop',
    'run_document',
    'x',
  ]);
  const call = { name, arguments: random.pick<object>([wide, { limit: 200 }, {}, { cursor: random.word(200) }, { product_id: random.word(36) }, { fields: Array.from({ length: 3_000 }, () => 'title') }]) }; // prettier-ignore
  const valid = {
    jsonrpc: '2.0',
    id: random.integer(0, 9),
    method: 'tools/call',
    params: { ...call, _meta: envelope },
  };
  return random.pick([
    () => JSON.stringify(valid),
    () => JSON.stringify(valid),
    () => JSON.stringify({ ...valid, params: call }),
    () => JSON.stringify({ ...valid, id: random.pick<unknown>([null, {}, [], 'x'.repeat(50_000)]) }),
    () => JSON.stringify({ ...valid, method: random.pick(['', 'tools/list', 'server/discover', 'initialize', 'ping', random.word(9_000)]) }), // prettier-ignore
    () => JSON.stringify(Array.from({ length: 1_000 }, () => ({ ...valid, params: { name } }))),
    () => JSON.stringify({ ...valid, params: random.pick<unknown>([null, [], 'x', { name: {} }, { name, arguments: [] }]) }), // prettier-ignore
    () => `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":${'{"a":'.repeat(20_000)}1${'}'.repeat(20_001)}`,
    () =>
      `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"get_shop","arguments":{"__proto__":{"x":1},"constructor":1}}}`,
    () => random.word(random.integer(0, 3_000)),
  ])();
}

export const slowTools: Attack = {
  name: 'slow-tools',
  what: 'calls of tools for models: right, almost right, huge and nested, by clients of which half read nothing',
  target: 'plain',
  seconds: { full: 20, short: 3 },
  async run(scene) {
    const { attacker, random, shop, isShort, goesOn } = scene;
    const keys = await Promise.all(Array.from({ length: 4 }, () => shop.createKey()));
    const headersOf = () =>
      random.pick([
        {
          Accept: 'application/json, text/event-stream',
          'MCP-Protocol-Version': '2026-07-28',
          'Mcp-Method': 'tools/call',
        },
        { Accept: 'application/json, text/event-stream', 'MCP-Protocol-Version': '2025-06-18' },
        { Accept: 'application/json, text/event-stream', 'MCP-Protocol-Version': random.word(500) },
        { Accept: 'text/event-stream' },
        { Accept: '*/*', 'Mcp-Session-Id': random.word(300) },
      ]);
    const silent: Socket[] = [];
    const readNothing = async (): Promise<void> => {
      while (goesOn()) {
        const socket = attacker.open();
        socket.pause();
        const body = message(scene);
        const headers = Object.entries(headersOf()).map(([name, value]) => `${name}: ${value}\r\n`).join(''); // prettier-ignore
        const { apiKey } = random.pick(keys);
        const request = `POST /mcp HTTP/1.1\r\nHost: a\r\nAuthorization: Bearer ${apiKey}\r\nContent-Type: application/json\r\nContent-Length: ${Buffer.byteLength(body)}\r\n${headers}\r\n${body}`;
        attacker.write(socket, request.repeat(random.pick([1, 1, 30])));
        silent.push(socket);
        if (silent.length > (isShort ? 50 : 300)) silent.shift()?.resetAndDestroy();
        await delay(20);
      }
    };
    await Promise.all([
      readNothing(),
      attacker.flood(isShort ? 4 : 12, () =>
        attacker.send({
          path: '/mcp',
          method: 'POST',
          apiKey: random.pick(keys).apiKey,
          headers: { 'Content-Type': 'application/json', ...headersOf() },
          body: message(scene),
        }),
      ),
    ]);
    for (const socket of silent) socket.resetAndDestroy();
  },
};
