import { runCli } from '../../src/cli/run-cli';
import { checkNothingPrivate } from '../support/private-texts';
import { buildCatalog, createCatalog } from './run-catalog';

// Nothing listens there: wrong usage is reported before anything is opened.
const nowhere = 'postgresql://nobody@127.0.0.1:1/none';
const catalog = createCatalog(nowhere);

beforeAll(() => {
  buildCatalog();
  process.env['DATABASE_URL'] = nowhere;
});

/** As `catalog` ends with it and writes, without a process for each line. */
async function runHere(words: readonly string[]) {
  let [stdout, stderr] = ['', ''];
  const exitCode = await runCli(words, {
    stdout: { write: (text) => (stdout += text) },
    stderr: { write: (text) => (stderr += text) },
  });
  checkNothingPrivate('standard error', stderr);
  return { exitCode, stdout, stderr };
}

const wrong: readonly (readonly [line: string, names: RegExp])[] = [
  ['', /expected a command/i],
  ['shop', /expected a command, one of create, set, list\n\n {2}create +connect a shop\n/i],
  ['help key creat', /unknown command 'creat'\s+\(Did you mean create\?\)/],
  ['help shpo', /unknown command 'shpo'/],
  ['key creat --help', /unknown command 'creat'/],
  ['shpo --help', /unknown command 'shpo'/],
  ['shop create --domian a.example', /unknown option '--domian'\s+\(Did you mean --domain\?\)/],
  ['key create --shp a.example', /unknown option '--shp'/],
  ['import a.csv --sohp a.example', /unknown option '--sohp'/],
  ['compose --owt x', /unknown option '--owt'/],
  ['gateway --supergrph x', /unknown option '--supergrph'/],
  ['key', /expected a command/i],
  ['frobnicate', /unknown command 'frobnicate'/],
  ['shop frobnicate', /unknown command 'frobnicate'/],
  ['shpo list', /unknown command 'shpo'\s+\(Did you mean shop\?\)/],
  ['key craete', /unknown command 'craete'\s+\(Did you mean create\?\)/],
  ['help frobnicate', /unknown command 'frobnicate'/],
  ['shop list --jsno', /unknown option '--jsno'\s+\(Did you mean --json\?\)/],
  ['--frobnicate', /unknown option '--frobnicate'/],
  ['migrate --frobnicate', /unknown option '--frobnicate'/],
  ['migrate now', /too many arguments/],
  ['shop list all', /too many arguments/],
  ['shop create', /--domain/],
  ['shop create --domain', /--domain.*argument missing/],
  ['shop create --domain https://shop.example/', /domain such as shop\.example/],
  ['shop create --domain shop.example --plan gold', /free, starter, pro, business/],
  ['shop create --domain shop.example --currency eur', /ISO 4217/],
  ['shop create --domain shop.example --platform Shopify', /lowercase/],
  ['shop create --domain shop.example --product-limit -1', /0 to 2147483647, or none/],
  ['shop create --domain shop.example --product-limit 2147483648', /0 to 2147483647, or none/],
  ['shop create --domain shop.example --product-limit 1.5', /0 to 2147483647, or none/],
  ['shop set', /missing required argument 'domain'/],
  ['shop set shop.example', /expected --plan, --plan-status, --product-limit or several/],
  ['shop set shop.example --plan Business', /free, starter, pro, business/],
  ['import --shop shop.example', /missing required argument 'files'/],
  ['import products.csv', /--shop/],
  ['import products.csv --shop shop.example --format xml', /snapshot, catalog-products, catalog-variants/],
  ['key create --shop shop.example', /--scope/],
  ['key create --scope catalog:read', /--shop/],
  ['key create --shop shop.example --scope catalog:write', /catalog:read, orders:read, account:read/],
  ['key create --shop shop.example --scope catalog:read --expires-in 90', /90s, 15m, 24h or 30d/],
  ['key create --shop shop.example --scope catalog:read --expires-in 0s', /longer than 0s/],
  ['key create --shop shop.example --scope catalog:read --expires-in 200000d', /at most 100 years/],
  ['key list', /--shop/],
  ['key usage', /--shop/],
  ['key usage --shop a.example --days 401', /from 1 to 400/],
  ['key revoke', /missing required argument 'client_id'/],
  ['key rotate', /missing required argument 'client_id'/],
  ['subgraph', /expected a command/i],
  ['subgraph check', /missing required argument 'name=url\|file'/],
  ['subgraph check catalog=x.graphql', /the name catalog is reserved/],
  ['subgraph check a=b.graphql --subgraph nodes=c.graphql', /the name nodes is reserved/],
  ['subgraph check reviews', /Expected name=url or name=file/],
  ['compose --out x', /--subgraph/],
  ['compose --subgraph a=http://a.test/', /--out/],
  ['compose --subgraph A=http://a.test/ --out x', /Expected name=url or name=file/],
  ['compose --subgraph a=http://a.test/ --subgraph a=http://b.test/ --out x', /appears twice/],
  ['compose --subgraph catalog=http://a.test/ --out x', /the name catalog is reserved/],
  ['compose --subgraph a=a.graphql --out x', /is a file: expected --routing-url a=/],
  [
    'compose --subgraph a=http://a.test/ --routing-url b=http://b.test/ --out x',
    /expected the name of one of the subgraphs \(a, catalog\)/,
  ],
  ['compose --subgraph a=http://a.test/ --routing-url a=b --out x', /name=url with an http or https URL/],
  ['key rotate ck_x --overlap -1h', /90s, 15m, 24h or 30d/],
];

const toWords = (line: string) => (line === '' ? [] : line.split(' '));

describe('wrong usage', () => {
  it.each(wrong)('ends `catalog %s` with 2 and reports what was expected', async (line, names) => {
    const { exitCode, stdout, stderr } = await runHere(toWords(line));
    expect({ exitCode, stdout }).toEqual({ exitCode: 2, stdout: '' });
    expect(stderr).toMatch(names);
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
  it('end with 1, all of them reported at once, without their values', async () => {
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
