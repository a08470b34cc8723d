import type { Socket } from 'node:net';
import { setTimeout as delay } from 'node:timers/promises';
import type { SeededKey } from '../../../test/support/seed';
import type { Attack, Scene } from '../attack';
import { countConnections } from '../process-figures';

/** Keeps changing products of the attacker's shop, which have to be sent to every stream. */
async function changeProducts({ isRunning, sql, shop }: Scene): Promise<void> {
  for (let turn = 0; isRunning(); turn += 1) {
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
  what: 'change streams and long polls of one shop, most of which read little or nothing, while its products change',
  seconds: { full: 50, short: 5 },
  async run(scene) {
    const { attacker, random, shop, isShort, isRunning, note, fail } = scene;
    const count = isShort ? 100 : 1_000;
    const keys = await Promise.all(Array.from({ length: 4 }, () => shop.createKey()));
    const silent: Socket[] = [];
    const others: Socket[] = [];
    const open = (isReading: boolean): Socket => ask(scene, random.pick(keys), isReading);
    while (silent.length + others.length < count && isRunning()) {
      for (let more = 0; more < 50; more += 1) {
        if (random.chance(0.6)) silent.push(open(false));
        else others.push(open(random.chance(0.7)));
      }
      await delay(100);
    }
    const changing = changeProducts(scene);
    while (isRunning()) {
      for (const [index, socket] of others.entries()) if (socket.destroyed) others[index] = open(random.chance(0.7));
      for (const socket of others) if (socket.isPaused() && random.chance(0.2)) socket.read(random.integer(1, 4_000));
      await delay(500);
    }
    await changing;
    const left = countConnections(scene.service.port, attacker.address);
    note(`${left} connections left`);
    const { status } = await attacker.send({ path: '/v1/shop', apiKey: (await shop.createKey()).apiKey });
    if (status !== 200) fail(`the attacking shop gets ${status}`);
    for (const socket of [...silent, ...others]) socket.resetAndDestroy();
  },
};
