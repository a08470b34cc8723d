import { once } from 'node:events';
import { readdirSync, readlinkSync } from 'node:fs';
import type { ClientRequest, IncomingMessage, Server } from 'node:http';
import { request } from 'node:http';
import type { AddressInfo } from 'node:net';
import os from 'node:os';
import { setTimeout as delay } from 'node:timers/promises';
import { openDatabase } from '../../src/database/open-database';
import { createHttpServer } from '../../src/http/server/create-http-server';
import { createDraining } from '../../src/http/server/connections';
import type { RateLimiter } from '../../src/rate-limit/rate-limiter';
import { buildCatalog } from '../cli/run-catalog';
import { killServiceProcesses, startServiceProcess } from '../support/service-process';
import { openTemporary } from '../../src/common/temporary-file';
import { startApp } from '../support/app';
import { runningExports, seedLargeShop, untilNothingRuns, untilPostgresWaits } from '../support/paused-export';
import { untilWaiting, whileLocked } from '../support/locked-table';
import { findValue, parseMetrics } from '../observability/parse-metrics';
import { createRandom } from '../support/random';
import { watchRechecks } from '../support/rechecks';
import { exchange } from '../support/rest-client';
import { seedApiKey } from '../support/seed';
import type { Service } from '../support/service';
import { startService } from '../support/service';
import { runSeed as seed } from '../support/run-seed';

/** 86 MB: more than the buffers of two connections. */
const products = 300;

const { passHalfAMinute, restore } = watchRechecks();
let service: Service;
let shopId: string;
let apiKey: string;
/** A second shop with the same amount of data. */
let otherShopId: string;
let otherApiKey: string;
/** The same service with a shorter limit for clients that stop reading. */
let impatient: Server;

beforeAll(async () => {
  buildCatalog();
  service = await startService({ rateLimit: 100_000, settings: { MAX_EXPORTS: '1' } });
  shopId = await seedLargeShop(service.sql, products);
  ({ apiKey } = await seedApiKey(service.sql, shopId));
  otherShopId = await seedLargeShop(service.sql, products);
  ({ apiKey: otherApiKey } = await seedApiKey(service.sql, otherShopId));
  const http = createHttpServer({
    rateLimiter: {} as RateLimiter,
    draining: createDraining(),
    windowMilliseconds: 400,
  });
  http.serve((incoming, response) => service.server.emit('request', incoming, response));
  impatient = http.server;
  await once(impatient.listen(0, '127.0.0.1'), 'listening');
});
afterAll(async () => {
  impatient.closeAllConnections();
  impatient.close();
  await service.close();
  restore();
});
afterEach(killServiceProcesses);

/** The temporary files that this process has open, none of which has a name. */
const openFiles = (): number =>
  readdirSync('/proc/self/fd').filter((fd) => {
    try {
      return /\/catalog-[^/]* \(deleted\)$/.test(readlinkSync(`/proc/self/fd/${fd}`));
    } catch {
      return false;
    }
  }).length;

/** While the database has only sent the beginning of an export. */
async function whileHeld(work: (release: () => void) => Promise<void>): Promise<void> {
  const release = service.holdExports();
  try {
    await work(release);
  } finally {
    release();
  }
}

interface Options {
  readonly query?: string;
  readonly method?: string;
  readonly origin?: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly apiKey?: string;
}

function send({ query = '', method = 'GET', origin = service.origin, headers, ...rest }: Options = {}): ClientRequest {
  const sent = { Authorization: `Bearer ${rest.apiKey ?? apiKey}`, ...headers };
  const call = request(`${origin}/export${query}`, { method, headers: sent, agent: false });
  call.on('error', () => undefined).end();
  return call;
}

async function open(options?: Options): Promise<IncomingMessage> {
  const [response] = (await once(send(options), 'response')) as [IncomingMessage];
  return response;
}

interface Received {
  readonly status: number | undefined;
  readonly last: string | undefined;
  readonly brokeOff: boolean;
}

async function read(response: IncomingMessage): Promise<Received> {
  let end = '';
  let brokeOff = false;
  try {
    for await (const chunk of response) {
      const text = String(chunk);
      const lastLine = text.lastIndexOf('\n', text.length - 2) + 1;
      end = lastLine === 0 ? end + text : text.slice(lastLine);
    }
  } catch {
    brokeOff = true;
  }
  return { status: response.statusCode, last: end.trimEnd().split('\n').at(-1), brokeOff };
}

const completeOf = (count: number): string =>
  `{"type":"complete","products":${count},"variants":0,"collections":0,"orders":0}`;
const complete = completeOf(products);

const endBeforeTheFirstByte = (by: string) =>
  whileLocked(service.database, 'products', async () => {
    const answered = open();
    await untilWaiting(service.database, 1);
    await service.sql(`SELECT ${by}(pid) FROM ${runningExports}`);
    expect((await read(await answered)).status).toBe(503);
  });

/** Every way in which an export can end. Resolves when its client has seen the end. */
const ways: Readonly<Record<string, () => Promise<void>>> = {
  async 'all of it is read'() {
    expect(await read(await open())).toEqual({ status: 200, last: complete, brokeOff: false });
  },
  async HEAD() {
    expect((await read(await open({ method: 'HEAD' }))).status).toBe(200);
  },
  async 'bad input'() {
    expect((await read(await open({ query: '?types=x' }))).status).toBe(400);
  },
  async 'the client leaves before the first byte'() {
    await whileLocked(service.database, 'products', async () => {
      const call = send();
      await untilWaiting(service.database, 1);
      call.destroy();
      // Its statement no longer waits, and not because it could continue.
      await untilNothingRuns(service.sql);
    });
  },
  async 'the client leaves at once'() {
    const call = send();
    await once(call, 'finish');
    call.destroy();
  },
  async 'the client leaves after the first byte'() {
    const response = await open();
    await once(response, 'readable');
    response.destroy();
  },
  async 'the client leaves in the middle'() {
    const response = await open();
    let bytes = 0;
    for await (const chunk of response) if ((bytes += (chunk as Buffer).length) > 20_000_000) break;
  },
  async 'the client leaves while it is compressed'() {
    const response = await open({ headers: { 'Accept-Encoding': 'gzip' } });
    await once(response, 'readable');
    response.destroy();
  },
  'the client leaves while the database makes it': () =>
    whileHeld(async () => {
      const response = await open();
      await untilPostgresWaits(service.sql);
      response.destroy();
      await untilNothingRuns(service.sql);
    }),
  async 'the client stops reading'() {
    const { port } = impatient.address() as AddressInfo;
    const response = await open({ origin: `http://127.0.0.1:${port}` });
    while (openFiles() > 0) await delay(20);
    expect((await read(response)).brokeOff).toBe(true);
  },
  'the statement is canceled': () =>
    whileHeld(async (release) => {
      const response = await open();
      await untilPostgresWaits(service.sql);
      await service.sql(`SELECT pg_cancel_backend(pid) FROM ${runningExports}`);
      release();
      expect(await read(response)).toMatchObject({ brokeOff: true });
    }),
  'the session is ended': () =>
    whileHeld(async (release) => {
      const response = await open();
      await service.sql(`SELECT pg_terminate_backend(pid) FROM ${runningExports}`);
      release();
      const { last, brokeOff } = await read(response);
      expect([brokeOff, last]).toEqual([true, expect.not.stringContaining('"type":"complete"')]);
    }),
  'the session is ended before the first byte': () => endBeforeTheFirstByte('pg_terminate_backend'),
  'the statement is canceled before the first byte': () => endBeforeTheFirstByte('pg_cancel_backend'),
  'the connection to the database breaks': () =>
    whileHeld(async () => {
      const received = read(await open());
      await service.duringOutage(async () => expect(await received).toMatchObject({ brokeOff: true }));
    }),
};

/** The only export that the process may run at a time, of the only one that the shop may. */
async function expectRoom(): Promise<void> {
  await untilNothingRuns(service.sql);
  let status: number | undefined;
  // The process may notice the end a moment later than the client.
  while (status !== 200) {
    ({ status } = await read(await open({ query: '?types=collections' })));
    expect([200, 429, 503]).toContain(status);
  }
  await untilNothingRuns(service.sql);
  while (openFiles() > 0) await delay(20);
}

describe('an export ends, and leaves room for the next, when', () => {
  it.each(Object.keys(ways))('%s', async (way) => {
    await (ways[way] as () => Promise<void>)();
    await expectRoom();
  });

  it('these follow each other in any order', async () => {
    const random = createRandom(seed);
    for (const way of random.list(12, () => random.pick(Object.keys(ways)))) {
      try {
        await (ways[way] as () => Promise<void>)();
        await expectRoom();
      } catch (error) {
        throw new Error(`SEED=${seed}: after "${way}": ${String(error)}`, { cause: error });
      }
    }
  });
});

describe('a client that does not read', () => {
  it('keeps neither snapshot nor connection nor other shops waiting, and receives all of it later', async () => {
    const unread = await open();
    await untilNothingRuns(service.sql);
    expect(openFiles()).toBe(1);
    expect(await read(await open({ apiKey: otherApiKey }))).toEqual({ status: 200, last: complete, brokeOff: false });
    expect(await read(unread)).toEqual({ status: 200, last: complete, brokeOff: false });
    await expectRoom();
  });

  it('loses its export when temporary files take more than MAX_TEMPORARY_MB, and others keep theirs', async () => {
    const database = openDatabase({ url: service.database.url, poolSize: 2 });
    const { app, origin, log } = await startApp({ database }, { MAX_TEMPORARY_MB: '150' });
    try {
      const first = await open({ origin });
      await untilNothingRuns(service.sql);
      const third = (await seedApiKey(service.sql, await seedLargeShop(service.sql, 3))).apiKey;
      const small = await open({ origin, apiKey: third });
      await untilNothingRuns(service.sql);
      expect(await read(await open({ origin, apiKey: otherApiKey }))).toMatchObject({ last: complete });
      expect(await read(first)).toMatchObject({ brokeOff: true });
      expect(await read(small)).toEqual({ status: 200, last: completeOf(3), brokeOff: false });
      expect(log.filter(({ level }) => level === 40).map(({ msg }) => msg)).toEqual([
        expect.stringContaining('temporary files reached MAX_TEMPORARY_MB'),
      ]);
    } finally {
      await app.close(0);
      await database.close();
    }
  });
});

describe('without a disk', () => {
  it('an export is refused, and the log says why', async () => {
    const directory = jest.spyOn(os, 'tmpdir').mockReturnValue('/nowhere');
    try {
      const { status, body, headers } = await exchange(service.origin, '/export', {
        headers: { Authorization: `Bearer ${apiKey}` },
      });
      expect({ status, body, wait: headers['retry-after'] }).toEqual({
        status: 503,
        body: { error: { code: 'SERVICE_UNAVAILABLE', message: expect.stringContaining('storage') as string } },
        wait: '60',
      });
      expect(JSON.stringify(service.log.findLast(({ level }) => level === 50))).toContain('/nowhere');
    } finally {
      directory.mockRestore();
    }
    await expectRoom();
  });

  it('an export that fills it is cut off', async () => {
    const handle = await openTemporary();
    const write = jest.spyOn(Object.getPrototypeOf(handle) as typeof handle, 'appendFile');
    await handle.close();
    try {
      write.mockImplementationOnce(write.getMockImplementation() as never).mockRejectedValue(new Error('ENOSPC'));
      expect(await read(await open())).toMatchObject({ brokeOff: true });
    } finally {
      write.mockRestore();
    }
    await expectRoom();
  });
});

describe('a process that is stopped during an export', () => {
  it('lets it end, when its client reads', async () => {
    const running = await startServiceProcess(service.database.url, { SHUTDOWN_DELAY_MS: '100' });
    const response = await open({ origin: running.origin });
    const ended = running.end('SIGTERM');
    expect(await read(response)).toMatchObject({ last: complete, brokeOff: false });
    expect(await ended).toEqual({ code: 0, signal: null });
    await untilNothingRuns(service.sql);
  });

  // Both at once, because it takes ten seconds of the service's own clock.
  it('cuts it off after the time for draining, by SIGTERM and by SIGINT', async () => {
    const breakOff = async (signal: 'SIGTERM' | 'SIGINT', key: string) => {
      const running = await startServiceProcess(service.database.url, { SHUTDOWN_DELAY_MS: '100' });
      const response = await open({ origin: running.origin, apiKey: key });
      // Its client does not read.
      expect(await running.end(signal)).toEqual({ code: 0, signal: null });
      const { last, brokeOff } = await read(response);
      expect(brokeOff).toBe(true);
      expect(last).not.toContain('"type":"complete"');
    };
    // A shop may run one at a time.
    await Promise.all([breakOff('SIGTERM', apiKey), breakOff('SIGINT', otherApiKey)]);
    await untilNothingRuns(service.sql);
  });
});

describe('an export that cannot begin in time', () => {
  it('gets 503, and leaves room for the next', async () => {
    const { url } = service.database;
    const database = openDatabase({ url, poolSize: 2, connectionTimeoutMilliseconds: 30_000 });
    const { app, origin } = await startApp({ database }, { REQUEST_TIMEOUT_MS: '300', MAX_EXPORTS: '1' });
    try {
      await whileLocked(service.database, 'products', async () => {
        expect((await read(await open({ origin }))).status).toBe(503);
        await untilNothingRuns(service.sql);
      });
      let status: number | undefined;
      while (status !== 200) ({ status } = await read(await open({ origin, query: '?types=collections' })));
    } finally {
      await app.close(0);
      await database.close();
    }
  });
});

describe('log and metrics', () => {
  const outcomes = async () => {
    const samples = parseMetrics((await exchange(service.origin, '/metrics', {})).text);
    const ended = ['complete', 'cut_off', 'refused', 'failed'].map((outcome) =>
      findValue(samples, 'exports_total', { outcome }),
    );
    return { ended, running: findValue(samples, 'exports_running') };
  };
  const lastLine = () => service.log.findLast(({ operation }) => operation === 'export');

  it('contain each export once, with its bytes and how it ended', async () => {
    await expectRoom();
    const before = (await outcomes()).ended;
    const response = await open();
    expect((await outcomes()).running).toBe(1);
    await read(response);
    while ((await outcomes()).running > 0);
    await untilNothingRuns(service.sql);
    expect(lastLine()).toMatchObject({
      status: 200,
      bytes: expect.any(Number) as number,
      durationMs: expect.any(Number) as number,
    });
    expect(lastLine()?.['bytes']).toBeGreaterThan(products * 19_200);
    expect(lastLine()).not.toHaveProperty('cutOff');

    const left = await open({ headers: { 'Accept-Encoding': 'br' } });
    left.destroy();
    await untilNothingRuns(service.sql);
    while (lastLine()?.['cutOff'] !== true) await delay(20);
    expect(lastLine()?.['bytes']).toBeLessThan(products * 19_200);

    await whileHeld(async (release) => {
      const ended = await open();
      await service.sql(`SELECT pg_terminate_backend(pid) FROM ${runningExports}`);
      release();
      await read(ended);
    });
    await untilNothingRuns(service.sql);
    while ((await outcomes()).running !== 0) await delay(20);
    const { ended: after } = await outcomes();
    expect(after.map((count, index) => count - (before[index] as number))).toEqual([1, 1, 0, 1]);
  });
});

describe('MAX_EXPORTS', () => {
  it('of 0 disables exports', async () => {
    const database = openDatabase({ url: service.database.url, poolSize: 2 });
    const { app, origin } = await startApp({ database }, { MAX_EXPORTS: '0' });
    try {
      for (const method of ['GET', 'HEAD', 'POST', 'OPTIONS']) {
        expect((await read(await open({ origin, method }))).status).toBe(404);
      }
    } finally {
      await app.close(0);
      await database.close();
    }
  });

  it('limits shops to one: a second export, even by another key, is refused', async () => {
    const first = await open();
    const key = (await seedApiKey(service.sql, shopId)).apiKey;
    for (const headers of [apiKey, key].map((each) => ({ Authorization: `Bearer ${each}` }))) {
      const second = await exchange(service.origin, '/export', { method: 'GET', headers });
      expect([second.status, second.headers['retry-after']]).toEqual([429, '10']);
    }
    expect(await read(first)).toEqual({ status: 200, last: complete, brokeOff: false });
    await untilNothingRuns(service.sql);
  });

  it('limits all shops together: while one waits for the database, another shop waits, and is refused', async () => {
    await whileLocked(service.database, 'products', async () => {
      const first = send({ query: '?types=products' });
      await untilWaiting(service.database, 1);
      const headers = { Authorization: `Bearer ${otherApiKey}` };
      const refused = await exchange(service.origin, '/export', { method: 'GET', headers });
      expect([refused.status, refused.headers['retry-after']]).toEqual([503, '10']);
      first.destroy();
    });
    await untilNothingRuns(service.sql);
    const [warning] = service.log.filter(({ level }) => level === 40).slice(-1);
    expect(warning?.['msg']).toContain('The maximum number of concurrent exports (1) has been reached');
    expect(warning).not.toHaveProperty('err');
  });
});

describe('an export that is running', () => {
  const changes: [string, (clientId: string, shop: string) => Promise<unknown>][] = [
    [
      'its key loses a scope',
      (clientId) => change(`UPDATE api_keys SET scopes = ARRAY['account:read'] WHERE client_id = $1`, clientId),
    ],
    ['its shop leaves the plan', (_, shop) => change(`UPDATE shops SET plan = 'free' WHERE shop_id = $1`, shop)],
  ];
  const change = (statement: string, value: string) => service.sql(statement, [value]);

  it.each(changes)('ends within a minute when %s', async (_, act) => {
    const key = await seedApiKey(service.sql, otherShopId);
    const response = await open({ apiKey: key.apiKey });
    await act(key.clientId.replace(/^ck_/, ''), otherShopId);
    const { length } = service.log;
    passHalfAMinute();
    while (!service.log.slice(length).some(({ msg }) => String(msg).includes('closed a response early')))
      await delay(20);
    expect(await read(response)).toMatchObject({ brokeOff: true });
    await untilNothingRuns(service.sql);
    await service.sql(`UPDATE shops SET plan = 'business' WHERE shop_id = $1`, [otherShopId]);
  });

  it('continues while nothing changes, and while its key cannot be read', async () => {
    const response = await open({ apiKey: otherApiKey });
    passHalfAMinute();
    await whileLocked(service.database, 'api_keys', async () => {
      passHalfAMinute();
      await untilWaiting(service.database, 1);
    });
    expect(await read(response)).toEqual({ status: 200, last: complete, brokeOff: false });
    await untilNothingRuns(service.sql);
  });
});
