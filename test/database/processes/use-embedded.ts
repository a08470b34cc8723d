// A process that uses the embedded PostgreSQL of its argument until standard input ends, and reports what happens.
import { startEmbeddedPostgres } from '../../../src/database/embedded-postgres';

async function use(dataDirectory: string): Promise<void> {
  const server = await startEmbeddedPostgres({ dataDirectory, log: () => undefined, durable: false });
  process.stdout.write(`${server.url}\n`);
  for await (const _ of process.stdin);
  await server.stop();
  process.stdout.write('stopped\n');
}

use(process.argv[2] ?? '').catch((error: Error) => {
  process.stderr.write(`${error.name}: ${error.message}`);
  process.exitCode = 1;
});
