import { loadConfig } from '../../src/config/config';
import { DatabaseUnavailableError } from '../../src/database/database-failure';
import { provideDatabase } from '../../src/database/provide-database';
import { useTestDatabase } from '../support/test-database';

const db = useTestDatabase();

it('waits for an unreachable server, then reports it without the password', async () => {
  const lines: string[] = [];
  const config = loadConfig({ DATABASE_URL: 'postgresql://u:secret@127.0.0.1:1/catalog' });
  const attempt = provideDatabase(config, { log: (line) => lines.push(line), waitMilliseconds: 600 });
  await expect(attempt).rejects.toThrow(DatabaseUnavailableError);
  await expect(attempt).rejects.toThrow(
    'The database catalog on 127.0.0.1:1 was unavailable for 0.6 seconds: connect ECONNREFUSED 127.0.0.1:1',
  );
  expect(lines).toEqual(['waiting up to 1 s for the database on 127.0.0.1:1: connect ECONNREFUSED 127.0.0.1:1']);
});

it('does not wait for what waiting cannot fix: a missing database', async () => {
  const url = new URL(db.url);
  url.pathname = '/no_such_database';
  await expect(provideDatabase(loadConfig({ DATABASE_URL: url.href }), { log: () => undefined })).rejects.toThrow(
    'database "no_such_database" does not exist',
  );
});
