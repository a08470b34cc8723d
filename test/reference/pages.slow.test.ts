import { isTypeDefinitionNode, parse } from 'graphql';
import { defaultLimits } from '../../src/graph/limits/limit-options';
import { errorStatus } from '../../src/errors/codes';
import { operations, readOperationDocument } from '../../rest/operations';
import type { RunningApp } from '../support/app';
import { startApp } from '../support/app';
import { exchange } from '../support/rest-client';
import type { TestDatabase } from '../support/test-database';
import { createTestDatabase } from '../support/test-database';

const demoApiKey = 'ck_demo.key';
const html = 'text/html,application/xhtml+xml,*/*;q=0.8';
const production = { NODE_ENV: 'production', PUBLIC_URL: 'https://api.example.com' };
const pages = ['/', '/reference', '/reference/graphql', '/changelog', '/dashboard'];
const paths = [
  '/',
  '/reference',
  '/reference.md',
  '/llms.txt',
  '/reference/graphql',
  '/reference/graphql.md',
  '/changelog',
  '/changelog.md',
  '/schema.graphql',
  '/reference/assets/shell.css',
  '/dashboard',
  '/dashboard/assets/dashboard.js',
];

let database: TestDatabase;
let development: RunningApp;
let closed: RunningApp;
let live: RunningApp;
beforeAll(async () => {
  database = await createTestDatabase();
  const parts = { database: database.database, demoApiKey };
  development = await startApp(parts);
  live = await startApp(parts, production);
  closed = await startApp(parts, { REFERENCE_PAGES: 'false' });
});
afterAll(async () => {
  await Promise.all([development, live, closed].map(({ app }) => app.close()));
  await database.drop();
});

const read = ({ origin }: RunningApp, path: string, headers: Readonly<Record<string, string>> = {}) =>
  exchange(origin, path, { headers: { Accept: html, ...headers } });

describe('a path that does not exist', () => {
  it.each(['/nothing', '/reference/', '/dashboard/x', '/shop'])(
    '%s is a page for browsers and JSON for programs',
    async (path) => {
      for (const app of [development, live]) {
        const page = await read(app, path);
        expect(page).toMatchObject({ status: 404, headers: { 'content-type': 'text/html; charset=utf-8' } });
        expect(page.text).toContain('<a href="/reference"><b>Reference</b>');
        expect(page.text).not.toContain(demoApiKey);
        expect(page.headers['content-security-policy']).toContain("style-src 'self'");
        const program = await read(app, path, { Accept: '*/*' });
        expect(program).toMatchObject({ status: 404, body: { error: { code: 'NOT_FOUND' } } });
      }
      expect(await read(closed, path)).toMatchObject({ status: 404, body: { error: { code: 'NOT_FOUND' } } });
    },
  );

  it('keeps the format of its surface, for browsers and programs (D2)', async () => {
    for (const path of ['/v1/nothing', '/v1', '/graphql/', '/export/', '/oauth/nothing'])
      expect((await read(live, path)).headers['content-type']).toBe('application/json');
  });
});

describe('the front page', () => {
  it.each([
    [html, 'text/html; charset=utf-8'],
    ['text/html', 'text/html; charset=utf-8'],
    ['application/json', 'application/json'],
    ['*/*', 'application/json'],
    ['application/json, text/html;q=0.5', 'application/json'],
    ['image/png', 'application/json'],
    ['text/markdown', 'text/markdown; charset=utf-8'],
  ])('answers Accept: %s with %s', async (accept, type) => {
    const { status, headers } = await read(live, '/', { Accept: accept });
    expect([status, headers['content-type'], headers['vary']]).toEqual([200, type, 'Accept, Accept-Encoding']);
  });

  it('has no broken links, for people or programs', async () => {
    for (const app of [development, live]) {
      const index = JSON.parse((await read(app, '/', { Accept: 'application/json' })).text) as {
        links: Record<string, string>;
      };
      const addresses = Object.values(index.links);
      const page = (await read(app, '/')).text;
      const hrefs = [...page.matchAll(/<a [^>]*href="(\/[^"]*)"/g)].map(([, href = '']) => href);
      const targets = new Set([...addresses.map((address) => address.replace(app.publicUrl, '')), ...hrefs]);
      expect(addresses.every((address) => address.startsWith(`${app.publicUrl}/`))).toBe(true);
      for (const target of targets) {
        const [path = '', anchor] = target.split('#');
        const { status, text } = await read(app, path);
        // 401 and 405: endpoints that need a credential or a POST.
        expect([target, [200, 401, 405].includes(status)]).toEqual([target, true]);
        if (anchor !== undefined) expect(text).toContain(`id="${anchor}"`);
      }
      expect([...targets].includes('/explorer')).toBe(app === development);
      expect([...targets].includes('/metrics')).toBe(app === development);
      expect([...targets]).toEqual(expect.arrayContaining(['/dashboard', '/export', '/reference']));
    }
  });
});

/** What a person reads in it. */
const toText = (page: string): string =>
  page
    .replaceAll(/<[^>]*>/g, '')
    .replaceAll('&quot;', '"')
    .replaceAll('&lt;', '<')
    .replaceAll('&gt;', '>')
    .replaceAll('&amp;', '&');

describe('the reference', () => {
  it('the guides show every piece of code of their Markdown, next to the text', async () => {
    const { text: page } = await read(live, '/reference');
    const { text: markdown } = await read(live, '/reference.md');
    const sections = markdown.split(/^## /m).map((part) => part.slice(part.indexOf('\n')));
    const pieces = sections
      .filter((part) => !part.includes('```graphql')) // of operations, which have consoles
      .flatMap((part) => [...part.matchAll(/^```\w+\n([\s\S]*?)\n```/gm)].map(([, text = '']) => text));
    expect(pieces.length).toBeGreaterThan(5);
    const shown = toText([...page.matchAll(/<div class="beside">[\s\S]*?<\/pre>/g)].join());
    for (const piece of pieces) expect(shown).toContain(piece);
  });

  it('shows all operations, codes and documents, on the page and in Markdown', async () => {
    const page = (await read(live, '/reference')).text;
    const { text: markdown, headers } = await read(live, '/reference.md');
    expect(headers['content-type']).toBe('text/markdown; charset=utf-8');
    for (const { operationId, path } of operations) {
      expect(markdown).toContain(`\`GET /v1${path}\``);
      expect(page).toContain(`<article class="op" id="${operationId}"`);
      expect(markdown).toContain(readOperationDocument(operationId));
      expect(toText(page)).toContain(readOperationDocument(operationId).trimEnd());
    }
    for (const code of Object.keys(errorStatus)) {
      expect(markdown).toContain(`| \`${code}\` | ${errorStatus[code as keyof typeof errorStatus]} |`);
      expect(page).toMatch(
        new RegExp(`<div class="err" role="row" id="${code}" .*>${errorStatus[code as keyof typeof errorStatus]}<`),
      );
    }
    expect(markdown).toContain('## Token endpoint');
    for (const text of [page, markdown]) {
      expect(text).not.toContain('catalog.example');
      expect(text).toContain(production.PUBLIC_URL);
    }
  });

  it.each(['/reference', '/reference/graphql', '/changelog'])(
    '%s has unique anchors, and no link to a missing one',
    async (path) => {
      const page = (await read(live, path)).text;
      const ids = [...page.matchAll(/ id="([^"]*)"/g)].map(([, id = '']) => id);
      expect(ids.filter((id, index) => ids.indexOf(id) !== index)).toEqual([]);
      const links = [...page.matchAll(/href="#([^"]*)"/g)].map(([, id = '']) => id);
      expect(links.filter((id) => !ids.includes(id))).toEqual([]);
    },
  );

  it('is written from the whole schema: each type, field, argument and value', async () => {
    const page = (await read(live, '/reference/graphql')).text;
    const { definitions } = parse((await read(live, '/schema.graphql')).text);
    const names = definitions.flatMap((definition) => {
      if (!isTypeDefinitionNode(definition)) return [];
      const members = [
        ...('fields' in definition ? (definition.fields ?? []) : []),
        ...('values' in definition ? (definition.values ?? []) : []),
      ];
      const own = definition.name.value;
      return [...(own === 'Query' ? [] : [own]), ...members.map(({ name }) => `${own}.${name.value}`)];
    });
    expect(names.length).toBeGreaterThan(200);
    expect(names.filter((name) => !page.includes(` id="${name}"`))).toEqual([]);
    expect(page).toContain(`cost more than ${defaultLimits.maxCost.toLocaleString('en')} points`);
  });

  it('contains nothing inline and allows this origin alone', async () => {
    for (const path of pages) {
      const { text, headers } = await read(development, path);
      expect(text).not.toMatch(/<style|<script(?![^>]* src=)| style=| on\w+=/);
      expect(text).not.toMatch(/(?:src|href)="(?!\/(?!\/)|#)/);
      expect(headers['content-security-policy']).toBe(
        "default-src 'none'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'; script-src 'self'; style-src 'self'; font-src 'self'; img-src 'self' data:; connect-src 'self'",
      );
      expect(headers).toMatchObject({ 'x-content-type-options': 'nosniff', 'referrer-policy': 'no-referrer' });
    }
  });

  it('is small: a page takes less than 100 kB of script, and the first operation less than a second at 1 Mbit/s', async () => {
    const size = async (path: string) =>
      Number((await read(live, path, { 'Accept-Encoding': 'gzip' })).headers['content-length']);
    for (const path of pages) {
      const { text } = await read(live, path);
      const files = [
        ...text.matchAll(/<(?:script[^>]* src|link rel="(?:stylesheet|preload)"[^>]* href)="([^"]*)"/g),
      ].map(([, file = '']) => file);
      const scripts = files.filter((file) => file.endsWith('.js'));
      const sum = async (all: readonly string[]) =>
        (await Promise.all(all.map(size))).reduce((one, other) => one + other, 0);
      expect({ path, scripts: (await sum(scripts)) < 100_000 }).toEqual({ path, scripts: true });
      // Text is shown before its font has loaded.
      const first =
        (await size(path)) + (await sum(files.filter((file) => !file.endsWith('.woff2') && !file.endsWith('.js'))));
      expect({ path, first: first < 100_000 && first }).toEqual({ path, first });
    }
  });

  it('is cached with an entity tag for each encoding', async () => {
    for (const path of paths) {
      for (const encoding of ['identity', 'gzip', 'br']) {
        const { headers } = await read(live, path, { 'Accept-Encoding': encoding });
        const etag = String(headers['etag']);
        expect([path, headers['cache-control']]).toEqual([path, 'public, no-cache']);
        expect(etag.endsWith(encoding === 'identity' ? '"' : `-${encoding}"`)).toBe(true);
        expect(headers['content-encoding']).toBe(encoding === 'identity' ? undefined : encoding);
        const again = await read(live, path, { 'Accept-Encoding': encoding, 'If-None-Match': etag });
        expect([path, again.status, again.text.length, again.headers['etag']]).toEqual([path, 304, 0, etag]);
      }
    }
  });

  it('serves its files by name and nothing else', async () => {
    for (const name of ['guides.md', '../guides.md', '..%2fguides.md', 'constructor', '', 'console.js/']) {
      expect((await read(live, `/reference/assets/${name}`)).status).toBe(404);
    }
  });
});

it('other sites may embed the pictures of the demo shop, and nothing else of this origin', async () => {
  const policyOf = async (path: string) => (await read(development, path)).headers['cross-origin-resource-policy'];
  expect(await policyOf('/demo/gift-card.svg')).toBe('cross-origin');
  for (const path of paths) expect([path, await policyOf(path)]).toEqual([path, 'same-origin']);
});

describe('the demo key', () => {
  it('is in no text for programs', async () => {
    for (const path of ['/reference.md', '/reference/graphql.md', '/changelog.md', '/schema.graphql', '/llms.txt']) {
      expect((await read(development, path)).text).not.toContain(demoApiKey);
    }
    expect((await read(development, '/', { Accept: 'application/json' })).text).not.toContain(demoApiKey);
  });
});

test('REFERENCE_PAGES=false disables all of it, and 404 stays JSON', async () => {
  for (const path of paths) {
    const { status, headers, text } = await read(closed, path);
    expect([path, status, headers['content-type']]).toEqual([path, 404, 'application/json']);
    expect(JSON.parse(text)).toMatchObject({ error: { code: 'NOT_FOUND' } });
    expect(text).not.toContain('/explorer');
  }
});
