import { once } from 'node:events';
import { buildCatalog } from '../cli/run-catalog';
import { startServiceProcess } from '../support/service-process';
import type { LogLine } from '../support/memory-log';
import { exchange } from '../support/rest-client';
import { useTestDatabase } from '../support/test-database';
import { findPrivateTexts } from '../support/private-texts';
import { seedApiKey, seedShop } from '../support/seed';
import { startTcpProxy } from '../support/tcp-proxy';
import { privateTexts, sendMixedRequests } from './mixed-requests';
import { findValue, parseMetrics } from './parse-metrics';

const database = useTestDatabase();
beforeAll(buildCatalog);

/** Runs the service as deployed, ends it as a supervisor does, and reads all of its standard error. */
async function logOf(settings: Record<string, string>, work: (origin: string) => Promise<unknown>): Promise<LogLine[]> {
  const service = await startServiceProcess(database.url, { SHUTDOWN_DELAY_MS: '0', ...settings });
  const closed = once(service.child, 'close');
  await work(service.origin);
  expect(await service.end()).toEqual({ code: 0, signal: null });
  await closed;
  return service
    .log()
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => JSON.parse(line) as LogLine);
}

const burst = (origin: string) =>
  Promise.all(
    Array.from({ length: 200 }, (_, index) => exchange(origin, '/livez', { headers: { 'X-Request-Id': `n${index}` } })),
  );

describe('the log of a process', () => {
  it('is JSON lines on standard error, complete at the end', async () => {
    const lines = await logOf({}, burst);
    const ids = lines.filter(({ msg }) => msg === 'request').map(({ requestId }) => requestId);
    expect(new Set(ids).size).toBe(200);
    expect(lines.at(-1)).toMatchObject({ msg: 'stopping' });
  });

  it('is empty with LOG_LEVEL=silent, and has no requests with warn', async () => {
    expect(await logOf({ LOG_LEVEL: 'silent' }, burst)).toEqual([]);
    expect(await logOf({ LOG_LEVEL: 'warn' }, burst)).toEqual([]);
  });

  it('contains nothing private, neither of the workers nor of their primary (D25)', async () => {
    const shopId = await seedShop(database.sql);
    const key = await seedApiKey(database.sql, shopId);
    const direct = new URL(database.url);
    const wire = await startTcpProxy({ host: direct.hostname, port: Number(direct.port || 5432) });
    const url = Object.assign(new URL(direct), { hostname: '127.0.0.1', port: String(wire.port) }).href;
    const lines = await logOf({ DATABASE_URL: url, workers: '2' }, (origin) =>
      sendMixedRequests(
        {
          origin,
          sql: database.sql,
          duringOutage: (work) => wire.cut().then(() => work().finally(() => wire.mend())),
        },
        { shopId, ...key },
      ),
    );
    await wire.cut();
    const text = JSON.stringify(lines);
    // The database did quote the value and did lack its table.
    for (const mistake of ['no way to fold', 'does not exist']) expect(text).toContain(mistake);
    expect(lines.filter(({ msg }) => msg === 'request').length).toBeGreaterThan(90);
    expect([...privateTexts, 'Basic ', 'eyJ'].filter((each) => text.includes(each))).toEqual([]);
    expect(findPrivateTexts(text)).toEqual([]);
  });

  it.each([{}, { workers: '2' }])('contains nothing private when it cannot start: %j', async (settings) => {
    const start = startServiceProcess(database.url, {
      ...settings,
      SUPERGRAPH_FILE: '/none/of/anna@customers.example',
    });
    const failure = await start.then(String, String);
    expect(failure).toContain('SUPERGRAPH_FILE: expected');
    expect(findPrivateTexts(failure)).toEqual([]);
  });
});

describe('serve --workers with METRICS_PORT', () => {
  it('reports all workers, each with its own series', async () => {
    const service = await startServiceProcess(database.url, {
      workers: '2',
      METRICS_PORT: '0',
      SHUTDOWN_DELAY_MS: '0',
    });
    try {
      for (let index = 0; index < 20; index++) await exchange(service.origin, '/livez', {});
      const port = /"port":(\d+),"msg":"serving metrics on a separate port/.exec(service.log())?.[1];
      const samples = parseMetrics((await exchange(`http://127.0.0.1:${port}`, '/metrics', {})).text);
      const served = samples.filter(
        ({ name, labels }) => name === 'http_request_duration_seconds_count' && labels['operation'] === 'health',
      );
      // One series each: a sum would fall when a worker is replaced.
      expect(new Set(served.map(({ labels }) => labels['worker'])).size).toBe(served.length);
      expect(served.reduce((sum, { value }) => sum + value, 0)).toBe(20);
      expect(findValue(samples, 'rate_limit_store_degraded', { worker: '1' })).toBe(0);
      expect((await exchange(service.origin, '/metrics', {})).status).toBe(404);
    } finally {
      expect(await service.end()).toEqual({ code: 0, signal: null });
    }
  });
});
