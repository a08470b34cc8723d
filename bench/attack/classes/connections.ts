import type { Socket } from 'node:net';
import { setTimeout as delay } from 'node:timers/promises';
import type { Attack, Scene } from '../attack';
import { countConnections } from '../process-figures';

const connected = (socket: Socket): Promise<void> =>
  new Promise((resolve) => {
    socket.once('connect', () => resolve());
    socket.once('close', () => resolve());
  });

/** Opens connections a few hundred at a time, so that the queue of the listening socket does not limit their number. */
async function openMany(
  { attacker, isRunning }: Scene,
  count: number,
  each: (socket: Socket) => void,
): Promise<Socket[]> {
  const sockets: Socket[] = [];
  while (sockets.length < count && isRunning()) {
    const batch = Array.from({ length: Math.min(200, count - sockets.length) }, () => attacker.open());
    await Promise.all(batch.map(connected));
    for (const socket of batch) each(socket);
    sockets.push(...batch);
  }
  return sockets;
}

export const neverReading: Attack = {
  name: 'never-reading',
  what: 'dozens of clients that each request fifty long pages on one connection and read nothing',
  seconds: { full: 45, short: 5 },
  async run(scene) {
    const { attacker, shop, isShort, note, fail, random } = scene;
    // No more than one key may request, because error responses are so small that they would fit in the system's
    // buffers.
    const count = isShort ? 40 : 60;
    const { apiKey } = await shop.createKey();
    const sockets = await openMany(scene, count, (socket) => {
      // Nothing reads its data, so it stops when the buffers of both systems are full.
      const target = `/v1/products?limit=200&q=${random.pick(['vase', 'a', 'v'])}`;
      const request = `GET ${target} HTTP/1.1\r\nHost: a\r\nAuthorization: Bearer ${apiKey}\r\n\r\n`;
      attacker.write(socket, request.repeat(50));
    });
    while (scene.isRunning()) await delay(100);
    const left = countConnections(scene.service.port, attacker.address);
    note(`${left} of ${sockets.length} connections left after ${scene.seconds} s without reading`);
    // The service allows 40 s.
    if (!isShort && left > count / 10)
      fail(`${left} of ${count} clients that read nothing are still connected after ${scene.seconds} s`);
    for (const socket of sockets) socket.resetAndDestroy();
  },
};

export const manyConnections: Attack = {
  name: 'many-connections',
  what: 'very many concurrent connections, most of them silent, reopened when they are closed',
  seconds: { full: 12, short: 3 },
  async run(scene) {
    const { attacker, random, isShort, note } = scene;
    const most = isShort ? 600 : 4_000;
    let open: Socket[] = [];
    while (scene.isRunning()) {
      open = open.filter((socket) => !socket.destroyed);
      const more = await openMany(scene, most - open.length, (socket) => {
        socket.resume();
        if (random.chance(0.3)) attacker.write(socket, 'GET /livez HTTP/1.1\r\nHost: a\r\n\r\n');
      });
      open.push(...more);
      await delay(100);
    }
    note(`${open.length} connections open at the end`);
    for (const socket of open) socket.destroy();
  },
};
