import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setImmediate } from 'node:timers/promises';
import { createLog } from '../../src/observability/log';
import { maskText } from '../../src/privacy/masked-line';
import { buildCatalog } from '../cli/run-catalog';
import { childrenOf, isAlive } from '../support/processes';
import { checkNothingPrivate, findPrivateTexts } from '../support/private-texts';
import { fc } from '../support/properties';
import { exchange } from '../support/rest-client';
import { useTestDatabase } from '../support/test-database';
import { testSecrets } from '../support/test-signing-keys';

const hostile = [
  'of anna@customers.example, late',
  'anna＠customers.example',
  '/v1/products?q=anna%40customers.example',
  'Authorization: Bearer hunter2hunter2',
  'BASIC YTpiOmM6ZDpl',
  'postgresql://u:hunter2@db.internal/x',
  `key ck_abc123.${'aB3'.repeat(15)}`,
  'eyJhbGciOiJFUzI1NiJ9.eyJzdWIiOiJ4In0.c2ln',
];

/** The log for people, as text. */
function logPretty(work: (log: ReturnType<typeof createLog>) => void): string {
  let text = '';
  const settings = { logLevel: 'info', logFormat: 'pretty', colors: true } as const;
  work(createLog(settings, { write: (line: string) => void (text += line) }));
  return text;
}

const hostileUnits = [
  ...Array(0xa0).keys(),
  0x2028,
  0x2029,
  ...[0x202a, 0x202b, 0x202c, 0x202d, 0x202e],
  0x2066,
  0x2067,
  0x2068,
  0x2069,
]
  .filter((code) => code < 0x20 || code > 0x7e)
  .map((code) => String.fromCharCode(code));

describe('a log line for programs', () => {
  it('has no control character except its line end, and keeps its meaning', () => {
    const text = fc.string({
      unit: fc.oneof(
        fc.constantFrom(...hostileUnits, '\ud800', '\udc00', 'bob@shop.example'),
        fc.string({ maxLength: 2 }),
      ),
    });
    fc.assert(
      fc.property(text, text, (name, value) => {
        let line = '';
        const log = createLog(
          { logLevel: 'info', logFormat: 'json', colors: false },
          { write: (one) => (line += one) },
        );
        log.info({ member: { [`${name}0`]: [value] }, err: new Error(value) }, value);
        expect(line).toMatch(/^[^\p{Cc}\u2028-\u202e\u2066-\u2069]*\n$/u);
        const { msg, member } = JSON.parse(line) as { msg: string; member: Record<string, string[]> };
        expect([msg, member]).toEqual([maskText(value), { [maskText(`${name}0`)]: [maskText(value)] }]);
      }),
    );
  });
});

describe('a log line for people', () => {
  it('shows the essentials of a request first, and then the rest', () => {
    const text = logPretty((log) =>
      log.info({ requestId: 'r1', method: 'GET', operation: 'getShop', status: 200, durationMs: 4.2 }, 'request'),
    );
    expect(text).toMatch(/^\[\d\d:\d\d:\d\d\.\d{3}\] INFO: GET getShop 200 in 4\.2 ms \{"requestId":"r1"\}\n$/);
  });

  it.each(hostile)('is masked like JSON: %s', (secret) => {
    const text = logPretty((log) => {
      log.info(secret);
      log.info({ [secret]: secret, deep: [{ password: 'hunter2', authorization: secret }] }, 'x');
      log.error({ err: new Error(secret, { cause: new Error(secret) }) }, secret);
      log.info({ requestId: secret, method: secret, operation: secret, status: 200 }, 'request');
    });
    expect(findPrivateTexts(text)).toEqual([]);
    expect(text).not.toMatch(/hunter2|anna/);
  });

  it('replaces characters that control a terminal, wherever they come from', () => {
    const controls = hostileUnits.join('');
    const text = logPretty((log) => {
      log.info(`a${controls}b`);
      log.info({ [`c${controls}`]: controls }, '\\u001b is written out');
      log.error({ err: new Error(controls) }, controls);
      log.info({ method: controls, operation: controls, status: controls, requestId: controls }, 'request');
    });
    expect(text.replace(/[\n\t]/g, '')).toMatch(/^[^\p{Cc}\u2028-\u202e\u2066-\u2069]*$/u);
    expect(text).toContain('\\u001b is written out');
  });

  it('is one line for a message', () => {
    expect(
      logPretty((log) => log.info({ a: { b: [1, 2] } }, 'one\r\ntwo\nthree'))
        .trimEnd()
        .split('\n'),
    ).toHaveLength(1);
  });
});

const hasTerminal = spawnSync('script', ['-qec', 'true', '/dev/null']).status === 0;
if (!hasTerminal) console.warn('Not run: the log on a terminal, because this system has no script(1) of util-linux.');

(hasTerminal ? describe : describe.skip)('on a terminal', () => {
  const database = useTestDatabase();
  beforeAll(buildCatalog);

  /** Starts a service on a separate terminal; resolves when it accepts requests. */
  async function startOnTerminal(settings: Readonly<Record<string, string>>, args = '') {
    const command = `exec ${process.execPath} dist/src/cli/main.js serve ${args}`;
    const terminal = spawn('script', ['-qec', command, '/dev/null'], {
      cwd: join(__dirname, '../..'),
      stdio: ['pipe', 'pipe', 'inherit'],
      env: {
        PATH: process.env['PATH'],
        TERM: 'xterm',
        PORT: '0',
        SHUTDOWN_DELAY_MS: '0',
        DATABASE_URL: database.url,
        DATA_DIR: mkdtempSync(join(tmpdir(), 'catalog-pretty-')),
        ...testSecrets,
        ...settings,
      },
    });
    const closed = once(terminal, 'close');
    let text = '';
    const origin = await new Promise<string>((resolve, reject) => {
      terminal.stdout.on('data', (chunk: Buffer) => {
        text += chunk.toString();
        const found = /listening on (http:[^\s"]+)/.exec(text)?.[1];
        if (found !== undefined) resolve(found);
      });
      terminal.once('close', () => reject(new Error(`it did not start: ${text}`)));
    });
    return { terminal, origin, closed, readText: () => text };
  }

  /** What a terminal shows of a service that answered some requests and was stopped. */
  async function showOf(
    settings: Readonly<Record<string, string>>,
    work: (origin: string) => Promise<unknown>,
    { args = '', requests = 1 } = {},
  ) {
    const { terminal, origin, closed, readText } = await startOnTerminal(settings, args);
    await work(origin);
    // Workers, client and service log in any order.
    while (readText().split('requestId').length <= requests) await once(terminal.stdout, 'data');
    // Like Ctrl-C on a keyboard.
    terminal.stdin.write('\u0003');
    await closed;
    checkNothingPrivate('the terminal', readText());
    return readText();
  }

  it.each(['pretty', 'json'])('ends when the terminal is closed and accepts no more lines: %s', async (format) => {
    const { terminal, origin, closed } = await startOnTerminal({ LOG_FORMAT: format });
    const [pid] = childrenOf(terminal.pid as number) as [number];
    await ask(origin);
    terminal.kill('SIGKILL');
    await closed;
    while (isAlive(pid)) await setImmediate();
  });

  const ask = (origin: string) => exchange(origin, '/livez', { headers: { 'X-Request-Id': 'mine' } });

  it.each([[''], ['--workers 2']])(
    'every request is a readable line in color, and the log is masked: serve %s',
    async (args) => {
      const text = await showOf(
        {},
        async (origin) => {
          await ask(origin);
          await exchange(origin, '/v1/products?q=anna%40customers.example', {
            headers: { Authorization: 'Bearer ck_abc123.aB3aB3aB3aB3aB3aB3aB3aB3' },
          });
        },
        { args, requests: 2 },
      );
      const lines = text.split(/\r?\n/).filter((line) => line.includes('GET '));
      expect(lines).toHaveLength(2);
      const line = lines.find((each) => each.includes('mine'));
      expect(line?.replaceAll('\u001b', '<')).toMatch(/^\[\d\d:[\d:.]+\] <\[32mINFO<\[39m: .*GET \w+ .*200.* ms.*mine/);
      expect(text).not.toContain('"level":30');
    },
  );

  it.each([
    ['NO_COLOR', { NO_COLOR: '1' }],
    ['TERM=dumb', { TERM: 'dumb' }],
  ])('without colors: %s', async (_, settings) => {
    const text = await showOf(settings, ask);
    expect(text).toMatch(/INFO: GET \w+ 200 in [\d.]+ ms \{"requestId":"mine"/);
    expect(text).not.toContain('\u001b[3');
  });

  it('JSON when LOG_FORMAT is json', async () => {
    const text = await showOf({ LOG_FORMAT: 'json' }, ask);
    // The terminal may show the key before a line or by itself.
    const shown = text.split(/\r?\n/).map((line) => line.replace(/^\^C/, ''));
    const lines = shown.filter((line) => line !== '').map((line) => JSON.parse(line) as { msg: string; url?: string });
    expect(lines).toContainEqual(expect.objectContaining({ level: 30, msg: 'request', requestId: 'mine' }));
    const [listening] = lines.filter(({ url }) => url !== undefined);
    expect(listening).toMatchObject({ level: 30, msg: `listening on ${listening?.url}` });
  });
});
