import { buildCatalog } from '../cli/run-catalog';
import { startServiceProcess } from '../faults/support/service-process';
import type { TestDatabase } from '../support/test-database';
import { createTestDatabase } from '../support/test-database';

let database: TestDatabase;
beforeAll(async () => {
  buildCatalog();
  database = await createTestDatabase();
});
afterAll(() => database.drop());

/** Longer than a test may take: a process that waits so long fails it. */
const delay = '600000';

describe.each([{}, { workers: '2' }])('a process told by SIGINT: %j', (settings) => {
  it('ends with 0, without the time that SIGTERM gives proxies', async () => {
    const service = await startServiceProcess(database.url, { ...settings, SHUTDOWN_DELAY_MS: delay });
    expect(await service.end('SIGINT')).toEqual({ code: 0, signal: null });
  });
});
