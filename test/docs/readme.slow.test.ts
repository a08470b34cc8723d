import { spawn, spawnSync } from 'node:child_process';
import { chmodSync, cpSync, mkdtempSync, readFileSync, symlinkSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, relative } from 'node:path';
import { createInterface } from 'node:readline';
import { once } from 'node:events';
import { findFreePort } from '../support/free-port';
import { settings } from '../../src/config/settings';
import type { Terminal } from './terminal';
import { openTerminal } from './terminal';

// The limit for a command that hangs, and not a measure of its speed: the first one installs and builds.
jest.setTimeout(900_000);

const root = join(__dirname, '../..');
const readme = readFileSync(join(root, 'README.md'), 'utf8');
const blocksOf = (language: string) =>
  [...readme.matchAll(new RegExp(`^\`\`\`${language}\\n([\\s\\S]*?)^\`\`\``, 'gm'))].map(([, text = '']) => text);
const commands = blocksOf('sh');
const answers = blocksOf('json').map((text) => JSON.parse(text) as unknown);

const installs = process.env['README_INSTALLS'] !== undefined;
if (!installs)
  console.log(
    'Not run: npm ci of the README, because node_modules is here already; .ci/run begins with it. README_INSTALLS=1 runs it.',
  );
console.log('Not run: npm test of the README, because this is a part of it.');

/** The checkout without generated files. */
function clone(): string {
  const directory = mkdtempSync(join(tmpdir(), 'catalog-readme-'));
  const made = /^(node_modules|dist|coverage|\.git|\.data|bench\/results.*|src\/database\/generated)$/;
  cpSync(root, directory, { recursive: true, filter: (path) => !made.test(relative(root, path)) });
  if (!installs) symlinkSync(join(root, 'node_modules'), join(directory, 'node_modules'));
  // Where the user is root, the embedded PostgreSQL runs as another user.
  chmodSync(directory, 0o755);
  return directory;
}

/**
 * A network namespace in which the ports of the README are free, whatever runs on this machine; undefined where none
 * may be created.
 */
async function openNetwork() {
  if (installs || spawnSync('unshare', ['-n', 'ip', 'link', 'set', 'lo', 'up']).status !== 0) return undefined;
  const holder = spawn('unshare', ['-n', 'sh', '-c', 'ip link set lo up && echo up && exec cat'], {
    stdio: ['pipe', 'pipe', 'inherit'],
  });
  await once(createInterface({ input: holder.stdout }), 'line');
  return { inside: ['nsenter', `--net=/proc/${holder.pid}/ns/net`], close: () => holder.stdin.end() };
}

/** The environment of this user's shell, without the settings of this run. */
function createEnvironment(more: Readonly<Record<string, string>>) {
  const ours = new Set([...Object.keys(settings), 'JEST_WORKER_ID', 'NODE_OPTIONS', 'NODE_CHANNEL_FD']);
  const isOfRun = (name: string) => ours.has(name) || /^(TEST_|npm_(lifecycle|package|command|execpath))/.test(name);
  // As in a terminal, unlike the pipes of this test.
  const terminal = { LOG_FORMAT: 'pretty' };
  return {
    ...Object.fromEntries(Object.entries(process.env).filter(([name]) => !isOfRun(name))),
    ...terminal,
    ...more,
  };
}

/** The JSON documents among the lines. */
const documentsIn = (text: string): Record<string, unknown>[] =>
  text
    .split('\n')
    .filter((line) => line.startsWith('{'))
    .map((line) => JSON.parse(line) as Record<string, unknown>);

type Connection = { readonly nodes: readonly Record<string, unknown>[] };

/** Blocks, identified by words that only they contain, and what their commands must print. */
const expectations: readonly (readonly [words: string, check: (output: string) => void])[] = [
  [
    '/v1/collections',
    (output) => {
      const [shop, mugs, product, collections, orders, ...more] = documentsIn(output);
      expect(more).toEqual([]);
      expect(shop).toMatchObject({ data: { domain: 'nordlicht-mori.example' } });
      expect(product).toMatchObject({ data: { id: expect.any(String) as string, variants: expect.any(Array) as [] } });
      for (const list of [mugs, collections, orders]) expect((list?.['data'] as []).length).toBeGreaterThan(0);
    },
  ],
  [
    '/oauth/token',
    (output) =>
      expect(documentsIn(output)).toMatchObject([{ token_type: 'Bearer', scope: 'catalog:read orders:read' }]),
  ],
  [
    'cheapest',
    (output) => {
      const [{ data, errors } = {}] = documentsIn(output);
      expect(errors).toBeUndefined();
      const { cheapest, latest } = data as Record<'cheapest' | 'latest', Connection>;
      const prices = cheapest.nodes.map(({ minPrice }) => Number(minPrice));
      expect(prices).toEqual([...prices].sort((one, other) => one - other));
      expect(latest.nodes.map(({ orderNumber }) => orderNumber)).toEqual(['#1967', '#1966']);
    },
  ],
  [
    'averageRating',
    (output) => {
      const shown = answers.find((answer) => JSON.stringify(answer).startsWith('{"data":{"products"'));
      const [answer] = documentsIn(output);
      // Ratings are derived from ids, which differ.
      const stable = (value: unknown) =>
        JSON.stringify(value)
          .replace(/"(averageRating|rating|body)":("[^"]*"|[\d.]+)/g, '"$1":0')
          .replace(/: [\d.]+ of 5/g, '');
      const { products } = (answer?.['data'] ?? {}) as { products: Connection };
      expect(stable({ data: { products: { nodes: products.nodes.slice(0, 1) } } })).toBe(stable(shown));
    },
  ],
  [
    'shop create',
    (output) => {
      expect(output).toMatch(/tea\.example/);
      expect(output).toMatch(/Products +4 read, 4 created|4/i);
      expect(output).toMatch(/api_key +ck_/);
      expect(output).toMatch(/Usage: catalog/);
    },
  ],
];

describe('README.md', () => {
  let server: Terminal;
  let reader: Terminal;
  let network: Awaited<ReturnType<typeof openNetwork>>;
  let onFreePorts = (text: string): string => text;

  beforeAll(async () => {
    const directory = clone();
    network = await openNetwork();
    let ports: Readonly<Record<string, string>> = {};
    if (network === undefined) {
      console.log('The ports 4000 and 4001 of the README are replaced by free ones.');
      const [first, second] = [String(await findFreePort()), String(await findFreePort())];
      onFreePorts = (text) => text.replace(/\b400[01]\b/g, (port) => (port === '4000' ? first : second));
      ports = { PORT: first };
    }
    const inside = network?.inside ?? [];
    server = openTerminal({ directory, environment: createEnvironment(ports), inside });
    reader = openTerminal({ directory, environment: createEnvironment({}), inside });
  });
  afterAll(async () => {
    await reader?.close();
    await server?.close();
    network?.close();
  });

  it.each(commands.map((text, index) => [index + 1, text] as const))('commands %i: %s', async (_, text) => {
    if (text.includes('npm test')) return;
    if (text.includes('npm start')) {
      const from = server.shown();
      if (/^npm ci$/m.test(text)) {
        server.type(installs ? text : text.replace(/^npm ci\n/m, ''));
      } else {
        // As the README says.
        expect(readme.slice(0, readme.indexOf(text))).toMatch(/\(Ctrl-C\)[^`]*```sh\n$/);
        server.interrupt();
        server.type(onFreePorts(text));
        await server.waitFor(/stopping/, from);
      }
      await server.waitFor(/listening on http:/, from);
      const line = await server.waitFor(/^ {2}curl .*$/m, from);
      const [page] = documentsIn(await reader.run(line));
      const shown = answers.find((answer) => JSON.stringify(answer).includes('"has_more"')) as { data: object[] };
      expect(Object.keys(page ?? {})).toEqual(Object.keys(shown));
      expect(Object.keys((page as typeof shown).data[0] ?? {})).toEqual(Object.keys(shown.data[0] ?? {}));
      return;
    }
    const [, check] = expectations.find(([words]) => text.includes(words)) ?? [];
    // A new block needs its own expectation.
    expect(check).toBeDefined();
    const output = await reader.run(onFreePorts(text));
    // The prompt would follow it.
    expect(output).toMatch(/\n$/);
    check?.(output);
  });

  it('shows every expected block', () => {
    expect(expectations.filter(([words]) => !commands.some((text) => text.includes(words)))).toEqual([]);
  });
});
