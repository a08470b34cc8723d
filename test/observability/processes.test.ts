import { once } from 'node:events';
import { buildCatalog } from '../cli/run-catalog';
import { startServiceProcess } from '../faults/support/service-process';
import type { LogLine } from '../support/memory-log';
import { exchange } from '../support/rest-client';
import type { TestDatabase } from '../support/test-database';
import { createTestDatabase } from '../support/test-database';
import { findValue, parseMetrics } from './parse-metrics';

let database: TestDatabase;
beforeAll(async () => {
  buildCatalog();
  database = await createTestDatabase();
});
afterAll(() => database.drop());

/** Runs the service as it is deployed, ends it as a supervisor does, and reads all of its standard error. */
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
});

describe('serve --workers with METRICS_PORT', () => {
  it('tells of all workers together', async () => {
    const service = await startServiceProcess(database.url, {
      workers: '2',
      METRICS_PORT: '0',
      SHUTDOWN_DELAY_MS: '0',
    });
    try {
      for (let index = 0; index < 20; index++) await exchange(service.origin, '/livez', {});
      const port = /"port":(\d+),"msg":"metrics have a port/.exec(service.log())?.[1];
      const samples = parseMetrics((await exchange(`http://127.0.0.1:${port}`, '/metrics', {})).text);
      expect(findValue(samples, 'http_request_duration_seconds_count', { operation: 'health', status: '200' })).toBe(
        20,
      );
      expect(findValue(samples, 'rate_limit_store_degraded')).toBe(0);
      expect((await exchange(service.origin, '/metrics', {})).status).toBe(404);
    } finally {
      expect(await service.end()).toEqual({ code: 0, signal: null });
    }
  });
});
