import { existsSync, mkdtempSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import type { AddressInfo, Server } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { commands } from '../../src/cli/commands';
import { runCli } from '../../src/cli/run-cli';
import { loadConfig } from '../../src/config/config';
import { ConfigError } from '../../src/config/config-error';
import { settings as settingTable, settingsFromFiles } from '../../src/config/settings';

const settingNames = Object.keys(settingTable);

const directory = mkdtempSync(join(tmpdir(), 'catalog-settings-'));
const fileWith = (name: string, text: string): string => {
  writeFileSync(join(directory, name), text);
  return join(directory, name);
};

/** Invalid for one setting or another. Each is tried for every setting. */
const values: readonly string[] = [
  ...['-1', '0', '1.5', '1e3', '0x10', '٣', 'NaN', ' ', ' 4000', '4000 ', '99999999999999999999', 'a b', 'true!'],
  ...['TRUE', 'Production', 'expected', 'one of', 'Invalid option', 'ab '.repeat(5_000), 'line\nbreak', '\u001b[31m'],
  ...[
    '{',
    '[]',
    '{"keys":[]}',
    '{"keys":[{"kty":"RSA"}]}',
    'short',
    ',',
    'a,,b',
    `${'x'.repeat(31)},${'y'.repeat(40)}`,
  ],
  ...['http://', 'http://a b', 'http://u:hunter2@a.example', 'ftp://a.example', '//a.example', 'a.example:80', '[::1]'],
  ...['mysql://u:hunter2@h/d', 'postgresql://', 'postgresql://h:99999/d', 'postgresql://h/d?pgbouncer=maybe'],
  ...['postgresql://h/d?target_session_attrs=any', 'redis://', 'redis://h/name', 'name=', '=http://a.example'],
  ...['catalog=http://a.example', 'a=http://a.example,a=http://a.example', 'some.body@mail.example'],
  ...[join(directory, 'missing'), directory, '/dev/null/below', fileWith('text', 'not JSON')],
  ...[fileWith('wrong.json', '{"a":1}'), fileWith('broken.json', '{"a":"{"}')],
];

/** The problems by name of setting; empty if all are accepted. */
function refusals(settings: Readonly<Record<string, string>>): Map<string, string> {
  try {
    loadConfig(settings);
  } catch (thrown) {
    if (!(thrown instanceof ConfigError)) throw thrown;
    const [first, ...lines] = thrown.message.split('\n');
    expect(first).toBe('Invalid settings:');
    const problems = lines.map((line) => /^ {2}([A-Z][A-Z_]*): (.+)$/.exec(line)?.slice(1) as [string, string]);
    // One line each.
    expect(new Set(problems.map(([name]) => name)).size).toBe(problems.length);
    return new Map(problems);
  }
  return new Map();
}

/** What a person reads: what was expected and what was found, without repeating a word. */
function checkShape(problem: string): void {
  expect(problem).toMatch(/^expected (\S.*, got \S|no value (while|without) )/);
  expect(problem.length).toBeLessThan(250);
  expect(problem).toMatch(/^[^\p{Cc}]*$/u);
  const withoutValue = problem.replace(/, got ".*$/, '').replace(/"[^"]*"/g, '');
  expect(withoutValue).not.toMatch(/\b(\w+)[\s:;,]+\1\b/i);
  expect(withoutValue).not.toMatch(/expected.*expected|invalid|undefined|zod|regex/i);
}

const mayBeSecret = new Set<string>([...settingsFromFiles, 'SUBGRAPHS']);

describe('every setting', () => {
  it.each(settingNames)('%s is refused in one sentence that says what was expected and what was there', (name) => {
    const problems = values.flatMap((value) => {
      const problem = refusals({ [name]: value }).get(name);
      return problem === undefined ? [] : [{ value, problem }];
    });
    expect(problems).not.toEqual([]);
    for (const { value, problem } of problems) {
      checkShape(problem);
      expect(problem).not.toMatch(/hunter2|some\.body/);
      const mayHoldLogin = name === 'PUBLIC_URL' && /[@?#]|%40/.test(value);
      if (mayHoldLogin || mayBeSecret.has(name)) expect(problem).toMatch(/got another value \(hidden|no value without/);
      // Whatever looks like a credential or an e-mail address is masked wherever it occurs.
      else if (!/@|(.)\1{30}/.test(value)) expect(problem).toContain(JSON.stringify(value.slice(0, 60)).slice(0, -1));
    }
  });

  it('is reported together with all others', () => {
    const bad = settingNames.map((name) => [name, values.find((value) => refusals({ [name]: value }).has(name)) ?? '']);
    const problems = refusals(Object.fromEntries(bad) as Record<string, string>);
    expect([...problems.keys()].sort()).toEqual([...settingNames].sort());
    for (const problem of problems.values()) checkShape(problem);
  });

  it('that production requires is reported when missing, together with bad ones', () => {
    const problems = refusals({ NODE_ENV: 'production', PORT: 'http' });
    expect([...problems.keys()]).toEqual(['PORT', 'PUBLIC_URL', 'DATABASE_URL', 'TOKEN_SIGNING_KEYS', 'CURSOR_SECRET']);
    for (const problem of problems.values()) checkShape(problem);
  });

  it.each([
    ['METRICS_PORT', { METRICS_PORT: '4000' }],
    ['METRICS_PORT', { METRICS_PORT: '09', PORT: '9' }],
    ['SUPERGRAPH_FILE', { SUPERGRAPH_FILE: fileWith('any', 'x'), SUBGRAPHS: 'a=http://a.example' }],
    ['DATABASE_REPLICA_URLS', { DATABASE_REPLICA_URLS: 'postgresql://h/d' }],
  ])('%s is refused together with a setting that it excludes: %j', (name, settings) => {
    const problems = refusals(settings);
    expect([...problems.keys()]).toEqual([name]);
    checkShape(problems.get(name) ?? '');
  });
});

describe('a command', () => {
  const words: Readonly<Record<string, readonly string[]>> = {
    serve: [],
    migrate: [],
    'shop create': ['--domain', 'a.example'],
    'shop set': ['a.example', '--plan', 'pro'],
    'shop list': [],
    import: [fileWith('some.ndjson', '{}'), '--shop', 'a.example'],
    export: ['--shop', 'a.example'],
    'pull woocommerce': ['--url', 'https://a.example'],
    'pull shopify': ['--shop', 'a.example'],
    check: [],
    'key create': ['--shop', 'a.example', '--scope', 'catalog:read'],
    'key list': ['--shop', 'a.example'],
    'key usage': ['--shop', 'a.example'],
    'key revoke': ['ck_1'],
    'key rotate': ['ck_1'],
  };
  /** These processes read only a router's settings. */
  const without = new Set(['mcp', 'gateway', 'compose', 'formats', 'subgraph check']);
  const cases = commands.map(({ name }) => name).filter((name) => !without.has(name));

  let database: Server;
  let connections = 0;
  beforeAll(async () => {
    database = createServer((socket) => {
      connections += 1;
      socket.destroy();
    });
    await new Promise<void>((resolve) => database.listen(0, '127.0.0.1', resolve));
  });
  afterAll(() => database.close());

  const before = { ...process.env };
  afterEach(() => {
    process.env = { ...before };
  });

  const run = async (line: readonly string[], settings: Readonly<Record<string, string>>) => {
    process.env = { PATH: before['PATH'], ...settings };
    let text = '';
    const write = (part: string) => (text += part);
    return { code: await runCli(line, { stdout: { write }, stderr: { write } }), text };
  };

  it.each([...cases.map((name) => [name, []] as const), ['serve', ['--workers', '2']] as const])(
    '%s %j refuses all bad settings at once and touches nothing before',
    async (name, more) => {
      const line = [...name.split(' '), ...(words[name] ?? []), ...more];
      const dataDirectory = join(directory, 'not-made', name.replace(' ', '-'));
      const bad = { TOKEN_SIGNING_KEYS: '{}', CURSOR_SECRET: 'hunter2', TRUSTED_DOCUMENTS_FILE: '/missing', PORT: 'x' };
      const url = `postgresql://u:hunter2@127.0.0.1:${(database.address() as AddressInfo).port}/d`;
      for (const settings of [{ DATA_DIR: dataDirectory }, { DATA_DIR: dataDirectory, DATABASE_URL: url }]) {
        const { code, text } = await run(line, { ...settings, ...bad });
        expect({ code, lines: text.trimEnd().split('\n').length }).toEqual({ code: 1, lines: 5 });
        for (const setting of Object.keys(bad)) expect(text).toContain(`\n  ${setting}: expected `);
        expect(text).not.toContain('hunter2');
      }
      expect([existsSync(join(directory, 'not-made')), connections]).toEqual([false, 0]);
    },
  );
});
