import type { Socket } from 'node:net';
import { setTimeout as delay } from 'node:timers/promises';
import type { Attack, Scene } from '../attack';
import { hasEnvelope } from '../attacker';
import { countConnections } from '../process-figures';
import type { Random } from '../../../test/support/random';

const closed = (socket: Socket): Promise<void> =>
  new Promise((resolve) => (socket.destroyed ? resolve() : socket.once('close', () => resolve())));

const connected = (socket: Socket): Promise<void> =>
  new Promise((resolve) => {
    socket.once('connect', () => resolve());
    socket.once('close', () => resolve());
  });

/** Opens connections a few hundred at a time, so that the queue of the listening socket does not limit their number. */
async function openMany({ attacker, goesOn }: Scene, count: number, each: (socket: Socket) => void): Promise<Socket[]> {
  const sockets: Socket[] = [];
  while (sockets.length < count && goesOn()) {
    const batch = Array.from({ length: Math.min(200, count - sockets.length) }, () => attacker.open());
    await Promise.all(batch.map(connected));
    for (const socket of batch) each(socket);
    sockets.push(...batch);
  }
  return sockets;
}

async function untilOver({ goesOn }: Scene, everyMilliseconds: number, act: () => void): Promise<void> {
  while (goesOn()) {
    act();
    await delay(everyMilliseconds);
  }
}

export const neverReading: Attack = {
  name: 'never-reading',
  what: 'dozens of clients that ask for fifty long pages each on one connection, and read nothing',
  target: 'plain',
  seconds: { full: 45, short: 5 },
  async run(scene) {
    const { attacker, shop, isShort, note, fail, random } = scene;
    // No more than one key may request: refusals are so small that they would fit into the buffers of the system.
    const count = isShort ? 40 : 60;
    const { apiKey } = await shop.createKey();
    const sockets = await openMany(scene, count, (socket) => {
      // Nothing reads its data, so it stops when the buffers of both systems are full.
      const target = `/v1/products?limit=200&q=${random.pick(['vase', 'a', 'v'])}`;
      const request = `GET ${target} HTTP/1.1\r\nHost: a\r\nAuthorization: Bearer ${apiKey}\r\n\r\n`;
      attacker.write(socket, request.repeat(50));
    });
    while (scene.goesOn()) await delay(100);
    const left = countConnections(scene.service.port, attacker.address);
    note(`${left} of ${sockets.length} connections left after ${scene.seconds} s without reading`);
    // The service allows 40 s.
    if (!isShort && left > count / 10)
      fail(`${left} of ${count} clients that read nothing are still connected after ${scene.seconds} s`);
    for (const socket of sockets) socket.resetAndDestroy();
  },
};

const slowStarts = (random: Random, apiKey: string): string =>
  random.pick([
    'G',
    'GET /v1/shop HTTP/1.1\r\nHost: a\r\n',
    `GET /v1/shop HTTP/1.1\r\nAuthorization: Bearer ${apiKey}\r\nX: `,
    `POST /graphql HTTP/1.1\r\nHost: a\r\nAuthorization: Bearer ${apiKey}\r\nContent-Type: application/json\r\nContent-Length: 200000\r\n\r\n{"query":"`,
    `POST /graphql HTTP/1.1\r\nHost: a\r\nAuthorization: Bearer ${apiKey}\r\nContent-Type: application/json\r\nTransfer-Encoding: chunked\r\n\r\n1\r\n{\r\n`,
    'POST /oauth/token HTTP/1.1\r\nHost: a\r\nContent-Type: application/x-www-form-urlencoded\r\nContent-Length: 9000\r\n\r\ngrant_type=',
    'POST /graphql HTTP/1.1\r\nHost: a\r\nExpect: 100-continue\r\nContent-Length: 99999999\r\n\r\n',
  ]);

export const slowRequests: Attack = {
  name: 'slow-requests',
  what: 'headers and bodies that come a byte at a time, on hundreds of connections',
  target: 'plain',
  seconds: { full: 12, short: 3 },
  async run(scene) {
    const { attacker, random, shop, isShort } = scene;
    const { apiKey } = await shop.createKey();
    const sockets = await openMany(scene, isShort ? 200 : 800, (socket) => {
      socket.resume();
      attacker.write(socket, slowStarts(random, apiKey));
    });
    await untilOver(scene, 300, () => {
      for (const socket of sockets) if (socket.writable) socket.write(random.pick(['1', 'a', ' ']));
    });
    for (const socket of sockets) socket.destroy();
  },
};

export const manyConnections: Attack = {
  name: 'many-connections',
  what: 'thousands of connections at once, most of them silent, opened anew when they are closed',
  target: 'plain',
  seconds: { full: 12, short: 3 },
  async run(scene) {
    const { attacker, random, isShort, note } = scene;
    const most = isShort ? 600 : 4_000;
    let open: Socket[] = [];
    while (scene.goesOn()) {
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

/** Reads what arrives until the server closes, two seconds at most. @returns it as text */
async function converse({ attacker }: Scene, bytes: string | Buffer): Promise<string> {
  const socket = attacker.open();
  const chunks: Buffer[] = [];
  socket.on('data', (chunk: Buffer) => chunks.push(chunk));
  await connected(socket);
  attacker.write(socket, bytes);
  await Promise.race([closed(socket), delay(2_000, undefined, { ref: false }), answeredOnce(chunks, socket)]);
  socket.destroy();
  return Buffer.concat(chunks).toString('latin1');
}

/** Resolves when answers have arrived and nothing followed them for a while. */
async function answeredOnce(chunks: readonly Buffer[], socket: Socket): Promise<void> {
  for (let seen = -1; !socket.destroyed; await delay(60)) {
    if (chunks.length > 0 && chunks.length === seen) return;
    seen = chunks.length;
  }
}

const statusesOf = (text: string): string[] =>
  [...text.matchAll(/HTTP\/1\.1 (\d{3}) /g)].map(([, status = '']) => status);

export const manyHeaders: Attack = {
  name: 'many-headers',
  what: 'two Authorization headers with up to 2,600 others between them, and other pairs of what may stand only once',
  target: 'plain',
  seconds: { full: 5, short: 2 },
  async run(scene) {
    const { attacker, random, shop, fail } = scene;
    const { apiKey } = await shop.createKey();
    await attacker.flood(4, async () => {
      const filler = (count: number) => `${random.word(1)}:\r\n`.repeat(count);
      const first = random.chance(0.5);
      const credentials = [
        `Authorization: Bearer ${apiKey}\r\n`,
        `${random.pick(['Authorization', 'AUTHORIZATION'])}: Bearer ${random.word(20)}\r\n`,
      ];
      const [one, other] = first ? credentials : [...credentials].reverse();
      const between = random.pick([0, 1, 900, 1_996, 1_997, 1_998, 1_999, 2_000, 2_001, 2_600]);
      const text = await converse(
        scene,
        `GET /v1/shop HTTP/1.1\r\nHost: a\r\n${filler(random.pick([0, 0, 50]))}${one}${filler(between)}${other}\r\n`,
      );
      for (const status of statusesOf(text)) {
        attacker.countStatus(status);
        if (status === '200')
          fail(
            'two Authorization headers are taken',
            `${between} others between them, the right one ${first ? 'first' : 'last'}`,
          );
        if (status === '500') fail('INTERNAL_SERVER_ERROR', `${between} headers`);
      }
      if (text === '') fail('no answer', `${between} headers between two Authorization headers`);
    });
  },
};

/** Bytes that are almost a request: right except for one or two parts. */
function malformedRequest(random: Random, apiKey: string): string {
  const parts = {
    method: 'GET',
    target: '/v1/shop',
    version: 'HTTP/1.1',
    host: 'Host: a\r\n',
    framing: '',
    blank: ' ',
    inner: ' ',
    tail: '',
    body: '',
    end: '\r\n',
  };
  const defects: Readonly<Record<keyof typeof parts, readonly string[]>> = {
    method: ['get', 'HEAD', 'TRACE', 'CONNECT', 'PRI', 'G\0T', 'DELETE', 'OPTIONS', 'M'.repeat(9_000)],
    target: ['*', 'http://a/v1/shop', 'a:1', '/v1/\0shop', '/v1/sh op', '//', '?', '/%', `/${'a'.repeat(20_000)}`],
    version: [
      'HTTP/1.0',
      'HTTP/0.9',
      'HTTP/0.0',
      'HTTP/2.0',
      'HTTP/1.2',
      'HTTP/9.9',
      'http/1.1',
      'HTTP/1.',
      'HTTPS/1.1',
      '',
    ],
    host: ['', 'Host: a\r\nHost: b\r\n', 'Host: a b\r\n', 'Host:\r\n'],
    framing: [
      'Content-Length: 1\r\nContent-Length: 2\r\n', 'Content-Length: -1\r\n', 'Content-Length: 1e3\r\n', 'Transfer-Encoding: gzip\r\n',
      'Content-Length: 99999999999999999999\r\n', 'Transfer-Encoding: chunked\r\nContent-Length: 5\r\n', 'Transfer-Encoding : chunked\r\n',
      'Transfer-Encoding: chunked, chunked\r\n', 'Transfer-Encoding: chunked\r\n', 'Connection: upgrade\r\nUpgrade: h2c\r\n',
      'Expect: nonsense\r\n', 'Header without colon\r\n', ' folded: header\r\n', 'A: \0\r\n', ': empty\r\n', `${'X'.repeat(9_000)}: 1\r\n`,
      'Connection: close, keep-alive\r\n',
    ], // prettier-ignore
    blank: ['', '\t', '\u000b', '\u00a0', '   '],
    inner: ['\t', '\u000b', '\u00a0', ''],
    tail: ['\u000b', '\u00a0', ' ', '\t', '\0'],
    body: ['5\r\nhello\r\n0\r\n\r\n', 'ffffffffffffffff\r\n', '-1\r\n', '0\r\nA: b\r\n\r\n', '1;a="'.repeat(500)],
    end: ['\n', '\r'],
  };
  for (const part of random.list(random.integer(1, 2), () => random.pick(Object.keys(parts) as (keyof typeof parts)[])))
    parts[part] = random.pick(defects[part]);
  const { method, target, version, host, framing, blank, inner, tail, body, end } = parts;
  return `${method} ${target} ${version}${end}${host}${framing}Authorization:${blank}Bearer${inner}${apiKey}${tail}\r\n${end}${body}`;
}

/** A vertical tab or a no-break space around the credential (RFC 9110, 5.6.3, allows SP and HTAB only). */
const hasOddBlank = (bytes: string): boolean =>
  ['\u000b', '\u00a0'].some((blank) =>
    [`Authorization:${blank}`, `Bearer${blank}`, `${blank}\r\n`].some((place) => bytes.includes(place)),
  );

const otherProtocols = [
  'GET /v1/shop\r\n',
  'GET /v1/shop\r\n\r\n',
  'GET /v1/shop HTTP/0.9\r\n\r\n',
  'PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n',
  '\u0016\u0003\u0001\u0002\u0000\u0001\u0000\u0001\u00fc\u0003\u0003',
  'SSH-2.0-OpenSSH_9.0\r\n',
  '\r\n'.repeat(10_000),
  '\0'.repeat(10_000),
  'EHLO a\r\n',
];

export const malformedRequests: Attack = {
  name: 'malformed-requests',
  what: 'almost HTTP: versions, methods, targets, framing and blanks that are wrong; other protocols; flipped bytes',
  target: 'plain',
  async run(scene) {
    const { attacker, random, shop, fail } = scene;
    const { apiKey } = await shop.createKey();
    await attacker.flood(8, async () => {
      const bytes = Buffer.from(
        random.chance(0.15) ? random.pick(otherProtocols) : malformedRequest(random, apiKey),
        'latin1',
      );
      if (random.chance(0.2)) bytes[random.integer(0, bytes.length - 1)] = random.integer(0, 255);
      const text = await converse(scene, bytes);
      const example = JSON.stringify(bytes.toString('latin1').slice(0, 120));
      for (const status of statusesOf(text)) attacker.countStatus(status);
      if (statusesOf(text).includes('500')) fail('INTERNAL_SERVER_ERROR', example);
      const line = bytes.toString('latin1').split(/\r?\n/)[0] ?? '';
      if (/ HTTP\/0\.\d$/.test(line) && / 200 /.test(text.slice(0, 15)))
        fail('HTTP below 1.0 is answered with 200', example);
      if (hasOddBlank(bytes.toString('latin1')) && / 200 /.test(text.slice(0, 15)))
        fail('other blanks than SP and HTAB are trimmed around a credential', example);
      const refused = /^HTTP\/1\.1 4\d\d [\s\S]*?\r\n\r\n(\{[^\n]*\})/.exec(text)?.[1];
      if (refused !== undefined && !hasEnvelope(refused.replace(/\}HTTP[\s\S]*/, '}')))
        fail('a refusal without an envelope', refused.slice(0, 80));
    });
  },
};

export const pipelining: Attack = {
  name: 'pipelining',
  what: 'a thousand requests in one write, on twenty connections',
  target: 'plain',
  seconds: { full: 5, short: 2 },
  async run(scene) {
    const { attacker, random, shop } = scene;
    const { apiKey } = await shop.createKey();
    await attacker.flood(20, async () => {
      const socket = attacker.open();
      let received = '';
      socket.on('data', (chunk: Buffer) => {
        received = received.slice(-20) + chunk.toString('latin1');
        for (const status of statusesOf(received.slice(0, -12))) attacker.countStatus(status);
        received = received.slice(-12);
      });
      await connected(socket);
      const request = (target: string) =>
        `GET ${target} HTTP/1.1\r\nHost: a\r\nAuthorization: Bearer ${apiKey}\r\n\r\n`;
      attacker.write(
        socket,
        random
          .list(1_000, () => request(random.pick(['/v1/shop', '/livez', '/nowhere', '/v1/orders?limit=1'])))
          .join(''),
      );
      await Promise.race([closed(socket), delay(1_000, undefined, { ref: false })]);
      socket.destroy();
    });
  },
};
