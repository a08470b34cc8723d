import { runCli } from '../../src/cli/run-cli';
import { checkNothingPrivate } from '../support/private-texts';
import { readRows } from '../support/read-rows';
import { buildCatalog, createCatalog } from './run-catalog';

// Nothing listens there: wrong usage is reported before any connection is opened.
const nowhere = 'postgresql://nobody@127.0.0.1:1/none';
const catalog = createCatalog(nowhere);

beforeAll(() => {
  buildCatalog();
  process.env['DATABASE_URL'] = nowhere;
});

/** The exit code and output of `catalog`, without a process for each command line. */
async function runHere(words: readonly string[]) {
  let [stdout, stderr] = ['', ''];
  const exitCode = await runCli(words, {
    stdout: { write: (text) => (stdout += text) },
    stderr: { write: (text) => (stderr += text) },
  });
  checkNothingPrivate('standard error', stderr);
  return { exitCode, stdout, stderr };
}

/** Command lines, and what their error messages mention. */
const wrong = readRows<readonly [line: string, pattern: string, flags: string]>(__dirname, 'usage.json');

const toWords = (line: string) => (line === '' ? [] : line.split(' '));

describe('wrong usage', () => {
  it.each(wrong)('ends `catalog %s` with 2 and reports what was expected', async (line, pattern, flags) => {
    const { exitCode, stdout, stderr } = await runHere(toWords(line));
    expect({ exitCode, stdout }).toEqual({ exitCode: 2, stdout: '' });
    expect(stderr).toMatch(new RegExp(pattern, flags));
    expect(stderr).not.toMatch(/\n\s+at /);
  });

  it('ends a separate process the same way', async () => {
    const words = ['help', 'key', 'creat'];
    expect(await catalog(...words)).toEqual(await runHere(words));
  });

  it('is one JSON document on stderr with --json', async () => {
    const { exitCode, stdout, stderr } = await catalog('shop', 'create', '--json');
    expect({ exitCode, stdout, document: JSON.parse(stderr) as unknown }).toEqual({
      exitCode: 2,
      stdout: '',
      document: {
        error: { code: 'BAD_USAGE', message: expect.stringContaining("'--domain <domain>'") as string },
      },
    });
  });
});

describe('invalid settings', () => {
  it('end with 1, and are all reported at once, without their values', async () => {
    const broken = createCatalog('mysql://me:hunter2@db/catalog', { PORT: 'http', KEY_PREFIX: 'C K' });
    const { exitCode, stdout, stderr } = await broken('shop', 'list');
    expect({ exitCode, stdout }).toEqual({ exitCode: 1, stdout: '' });
    for (const name of ['DATABASE_URL', 'PORT', 'KEY_PREFIX']) expect(stderr).toContain(name);
    expect(stderr).not.toContain('hunter2');
  });

  it('do not prevent help', async () => {
    const broken = createCatalog('mysql://db/catalog');
    expect((await broken('shop', '--help')).exitCode).toBe(0);
  });
});
