import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { chmodSync, mkdtempSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { buildCatalog } from '../cli/run-catalog';
import { killServiceProcesses, startServiceProcess } from '../support/service-process';
import { composeSubgraphs } from '../../src/federation/supergraph/compose-subgraphs';
import { descendantsOf, isAlive } from '../support/processes';
import { useTestDatabase } from '../support/test-database';
import { compiledBefore } from '../support/compiled-before';

const root = join(__dirname, '../..');

const database = useTestDatabase();
beforeAll(buildCatalog);
afterEach(killServiceProcesses);

/** Longer than a test may take: a process that waits that long fails it. */
const patience = '600000';

describe.each([{}, { workers: '2' }])('a process stopped by SIGINT: %j', (settings) => {
  it('ends with 0, without the drain delay of SIGTERM', async () => {
    const service = await startServiceProcess(database.url, { ...settings, SHUTDOWN_DELAY_MS: patience });
    expect(await service.end('SIGINT')).toEqual({ code: 0, signal: null });
  });

  it.each([
    ['SIGTERM', 'SIGTERM'],
    ['SIGINT', 'SIGINT'],
    ['SIGHUP', 'SIGTERM'],
  ] as const)('ends with 0 when %s is followed by its echo, %s', async (first, second) => {
    const service = await startServiceProcess(database.url, { ...settings, SHUTDOWN_DELAY_MS: '100' });
    service.child.kill(first);
    while (!service.log().includes('"stopping"')) await delay(1);
    expect(await service.end(second)).toEqual({ code: 0, signal: null });
  });
});

/** Starts a program in a separate process group, and resolves when it has printed its address. */
async function startGroup(words: readonly [string, ...string[]], settings: Readonly<Record<string, string>>) {
  const [program, ...rest] = words;
  const child = spawn(program, rest, {
    cwd: root,
    detached: true,
    stdio: ['ignore', 'pipe', 'pipe'],
    env: { ...compiledBefore, PATH: process.env['PATH'], HOME: process.env['HOME'], PORT: '0', ...settings },
  });
  let shown = '';
  for (const stream of [child.stdout, child.stderr]) stream.on('data', (chunk: Buffer) => (shown += chunk.toString()));
  const exited = once(child, 'exit') as Promise<[number | null, NodeJS.Signals | null]>;
  while (!/"listening on /.test(shown)) {
    if (child.exitCode !== null) throw new Error(`it ended with ${child.exitCode}: ${shown}`);
    await delay(20);
  }
  return { pid: child.pid as number, exited, shown: () => shown };
}

describe('a signal for a whole process group', () => {
  const workers = ['node', 'dist/src/cli/main.js', 'serve', '--workers', '2'] as const;
  it.each([
    ['SIGTERM', ['npm', 'start']],
    ['SIGINT', ['npm', 'start']],
    ['SIGHUP', ['npm', 'start']],
    ['SIGTERM', workers],
  ] as const)('%s stops %j properly, and leaves no process behind', async (signal, words) => {
    const dataDirectory = mkdtempSync(join(tmpdir(), 'catalog-signals-'));
    chmodSync(dataDirectory, 0o755);
    const group = await startGroup([...words], { DATA_DIR: dataDirectory, SHUTDOWN_DELAY_MS: '100' });
    const all = [group.pid, ...descendantsOf(group.pid)];
    process.kill(-group.pid, signal);
    await group.exited;
    while (all.some(isAlive)) await delay(20);
    expect(group.shown()).toMatch(/"stopping"/);
    expect(group.shown()).not.toMatch(/told to stop again|killed by timeout/);
  });
});

function writeGatewayCommand(): [string, ...string[]] {
  const file = join(mkdtempSync(join(tmpdir(), 'catalog-signals-')), 'supergraph.graphql');
  writeFileSync(file, composeSubgraphs([{ name: 'a', url: 'http://127.0.0.1:9/', sdl: 'type Query { a: Int }' }]));
  return ['node', 'dist/src/cli/main.js', 'gateway', '--supergraph', file, '--port', '0'];
}

describe.each(['serve', 'serve --workers 2', 'gateway'])('%s', (name) => {
  it.each(['SIGTERM', 'SIGINT'])('stops properly on %s at the moment it says that it listens', async (signal) => {
    const words: [string, ...string[]] =
      name === 'gateway' ? writeGatewayCommand() : ['node', 'dist/src/cli/main.js', ...name.split(' ')];
    const { exited } = await startGroup(words, {
      DATABASE_URL: database.url,
      DATA_DIR: mkdtempSync(join(tmpdir(), 'catalog-signals-')),
      SHUTDOWN_DELAY_MS: '0',
      NODE_OPTIONS: `--require ${join(__dirname, '../support/signal-when-listening.cjs')}`,
      SIGNAL_WHEN_LISTENING: signal,
    });
    expect(await exited).toEqual([0, null]);
  });
});

it('a gateway that is signaled twice exits with 0', async () => {
  const group = await startGroup(writeGatewayCommand(), {});
  process.kill(group.pid, 'SIGTERM');
  process.kill(group.pid, 'SIGINT');
  expect(await group.exited).toEqual([0, null]);
});
