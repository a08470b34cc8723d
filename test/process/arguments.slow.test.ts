import { mkdtempSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { buildCatalog } from '../cli/run-catalog';
import { killServiceProcesses, startServiceProcess } from '../support/service-process';
import { startReviews } from '../federation/support/reviews-process';
import { descendantsOf } from '../support/processes';
import { exchange } from '../support/rest-client';
import { useTestDatabase } from '../support/test-database';
import { testSigningKeys } from '../support/test-signing-keys';

const hasProc = process.platform === 'linux';
if (!hasProc)
  console.warn('Not run: arguments of other processes are read from /proc, which this system does not have.');

beforeAll(buildCatalog);
afterEach(killServiceProcesses);

const read = (path: string): string => {
  try {
    return readFileSync(path, 'latin1');
  } catch {
    // The process has ended meanwhile.
    return '';
  }
};

/** The arguments of all processes of this machine. */
const readArguments = (): string[] =>
  readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name))
    .map((name) => read(`/proc/${name}/cmdline`));

/** Collects the arguments of every process that runs during `work`. */
async function watchArguments<Result>(work: Promise<Result>): Promise<{ result: Result; seen: Set<string> }> {
  const seen = new Set<string>();
  let isOver = false;
  const watch = (async () => {
    while (!isOver) {
      for (const each of readArguments()) seen.add(each);
      await delay(100);
    }
  })();
  const result = await work.finally(() => (isOver = true));
  await watch;
  for (const each of readArguments()) seen.add(each);
  return { result, seen };
}

const parts = (secret: string) => [secret, ...secret.split('.').slice(1)];

(hasProc ? describe : describe.skip)('no process has a secret among its arguments', () => {
  it('of a demo with workers, an embedded database and query planners, from its start on', async () => {
    const dataDirectory = mkdtempSync(join(tmpdir(), 'catalog-arguments-'));
    const reviews = await startReviews();
    const subgraphSecret = 'a secret between this service and its router';
    try {
      const { result: service, seen } = await watchArguments(
        startServiceProcess('', {
          workers: '2',
          DATA_DIR: dataDirectory,
          TOKEN_SIGNING_KEYS: '',
          CURSOR_SECRET: '',
          SUBGRAPHS: `reviews=${reviews.url}`,
          SUBGRAPH_SECRET: subgraphSecret,
        }),
      );
      const secretOf = (name: string) => read(join(dataDirectory, name)).trim();
      const [apiKey, password] = [secretOf('demo-api-key'), secretOf('postgres/cluster/catalog-password')];
      const [signingKey] = (JSON.parse(secretOf('token-signing-keys.json')) as { keys: { d: string }[] }).keys;
      const secrets = [...parts(apiKey), password, secretOf('cursor-secret'), signingKey?.d ?? '', subgraphSecret];
      expect(secrets.filter((secret) => secret.length < 16)).toEqual([]);

      const all = [...seen].join('\n');
      for (const program of ['worker.js', 'planner-process.js', 'bin/postgres']) expect(all).toContain(program);
      expect(secrets.filter((secret) => all.includes(secret))).toEqual([]);

      // The workers' environment comes from their primary; what it discovered or generated must not appear there
      // either.
      const processes = descendantsOf(service.child.pid ?? 0);
      const environments = processes.map((pid) => read(`/proc/${pid}/environ`)).join('\n');
      expect(environments).toContain('DATA_DIR=');
      expect(
        [...parts(apiKey), password, signingKey?.d ?? ''].filter((secret) => environments.includes(secret)),
      ).toEqual([]);

      // The workers have the key all the same.
      const { text } = await exchange(service.origin, '/explorer', {});
      expect(text).toContain(apiKey);
      expect(await service.end()).toEqual({ code: 0, signal: null });
    } finally {
      await reviews.stop();
    }
  });

  describe('with secrets in files', () => {
    const database = useTestDatabase();

    it('of workers in production; and none in the environment of any of them', async () => {
      const directory = mkdtempSync(join(tmpdir(), 'catalog-arguments-'));
      const inFile = (name: string, value: string) => {
        writeFileSync(join(directory, name), value);
        return join(directory, name);
      };
      const cursorSecret = 'a cursor secret that is kept in a file';
      const { result: service, seen } = await watchArguments(
        startServiceProcess('', {
          workers: '2',
          NODE_ENV: 'production',
          TOKEN_SIGNING_KEYS: '',
          CURSOR_SECRET: '',
          DATABASE_URL_FILE: inFile('database-url', database.url),
          TOKEN_SIGNING_KEYS_FILE: inFile('token-signing-keys', testSigningKeys),
          CURSOR_SECRET_FILE: inFile('cursor-secret', cursorSecret),
        }),
      );
      const secrets = [database.url, cursorSecret, testSigningKeys];
      const all = [...seen].join('\n');
      expect(secrets.filter((secret) => all.includes(secret))).toEqual([]);
      const processes = [service.child.pid ?? 0, ...descendantsOf(service.child.pid ?? 0)];
      expect(processes.length).toBeGreaterThanOrEqual(3);
      const environments = processes.map((pid) => read(`/proc/${pid}/environ`)).join('\n');
      expect(secrets.filter((secret) => environments.includes(secret))).toEqual([]);
      expect((await exchange(service.origin, '/readyz', {})).status).toBe(200);
      expect(await service.end()).toEqual({ code: 0, signal: null });
    });
  });
});
