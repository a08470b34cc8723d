import { execFileSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { loadConfig } from '../../src/config/config';
import { createCatalogSubgraph } from '../../src/federation/catalog/catalog-subgraph';
import { composeSubgraphs } from '../../src/federation/supergraph/compose-subgraphs';
import { json, startStubServer } from '../federation/support/stub-server';
import { manifestOf } from '../mcp/manifest';
import { askGraphql } from '../support/graphql-client';
import { exchange } from '../support/rest-client';
import { startService } from '../support/service';
import { seedTeaShop, startFederatedService } from './support/federated-service';

const stubSdl = `extend schema @link(url: "https://specs.apollo.dev/federation/v2.3", import: ["@key"])
  type Product @key(fields: "id") { id: ID! stub: String }
  type Query { stubs: [String!] }`;

/** A subgraph that always returns `result`, and records what it receives. */
async function startStub(result: unknown = { data: { stubs: ['one'] } }) {
  const stub = await startStubServer();
  stub.answer = (response, { body }) =>
    json(response, body.query.includes('_service') ? { data: { _service: { sdl: stubSdl } } } : result);
  return stub;
}

describe('SUBGRAPHS', () => {
  it('is a list of names and URLs', () => {
    expect(
      loadConfig({ SUBGRAPHS: 'reviews=http://reviews.test/graphql, stock=https://stock.test/g?a=b' }).subgraphs,
    ).toEqual([
      { name: 'reviews', url: 'http://reviews.test/graphql' },
      { name: 'stock', url: 'https://stock.test/g?a=b' },
    ]);
  });

  it.each([
    ['no name', { SUBGRAPHS: 'http://reviews.test' }, /SUBGRAPHS: expected name=url/],
    ['a URL of another kind', { SUBGRAPHS: 'reviews=ftp://reviews.test' }, /SUBGRAPHS: expected name=url/],
    ['a name twice', { SUBGRAPHS: 'a=http://a.test,a=http://b.test' }, /SUBGRAPHS: expected unique names/],
    ['a name that is taken', { SUBGRAPHS: 'catalog=http://a.test' }, /catalog and nodes are reserved/],
    [
      'a file besides',
      { SUBGRAPHS: 'a=http://a.test', SUPERGRAPH_FILE: 'x' },
      /SUPERGRAPH_FILE: expected no value while/,
    ],
    ['a short secret', { SUBGRAPH_SECRET: 'short' }, /SUBGRAPH_SECRET: expected at least 32 characters/],
    ['a secret without a name', { ROUTER_SECRETS: 'secret' }, /ROUTER_SECRETS: expected name=secret pairs/],
    ['an empty secret', { ROUTER_SECRETS: 'a=' }, /ROUTER_SECRETS: expected name=secret pairs/],
    ['a secret no header can hold', { ROUTER_SECRETS: 'a=né' }, /ROUTER_SECRETS: expected name=secret pairs/],
    ['a secret twice', { ROUTER_SECRETS: 'a=b,a=c' }, /ROUTER_SECRETS: expected one secret per name/],
    ['no header names', { SUBGRAPH_HEADERS: 'a b' }, /SUBGRAPH_HEADERS: expected header names/],
    [
      'no number',
      { SUBGRAPH_TIMEOUT_MS: 'soon', SUBGRAPH_POLL_SECONDS: '0' },
      /SUBGRAPH_POLL_SECONDS.*\n.*SUBGRAPH_TIMEOUT_MS/,
    ],
  ])('refuses %s', (_, settings, message) => {
    expect(() => loadConfig(settings)).toThrow(message);
  });
});

describe('without any of the settings', () => {
  it('neither federation nor the query planner is loaded', () => {
    const script = `require('./test/support/typescript-hook.cjs'); require('./src/app.ts');
      console.log(Object.keys(require.cache).filter((file) => /federation[/](catalog|gateway|plan)[/]|query-planner|federation-composition/.test(file)).length)`;
    const root = join(__dirname, '../..');

    expect(execFileSync(process.execPath, ['-e', script], { cwd: root, encoding: 'utf8' }).trim()).toBe('0');
  });
});

it('SUBGRAPH_HEADERS names what subgraphs see of the headers of a client', async () => {
  const stub = await startStub();
  const TRUSTED_DOCUMENTS_FILE = manifestOf({ Stubs: 'query Stubs { stubs }' });
  const settings = { SUBGRAPHS: `stub=${stub.url}`, SUBGRAPH_HEADERS: 'X-Team', TRUSTED_DOCUMENTS_FILE };
  const service = await startService({ settings });
  const { apiKey } = await seedTeaShop(service);
  const params = { name: 'run_document', arguments: { name: 'Stubs' } };
  for (const [path, body] of [
    ['/graphql', { query: 'query Stubs { stubs }' }],
    ['/mcp', { jsonrpc: '2.0', id: 1, method: 'tools/call', params }],
  ] as const) {
    const headers = {
      Authorization: `Bearer ${apiKey}`,
      'Content-Type': 'application/json',
      'X-Team': 'blue',
      Cookie: 'a=b',
    };
    await exchange(service.origin, path, { method: 'POST', headers, body: JSON.stringify(body) });
    const sent = JSON.stringify(stub.requests.pop()?.headers);
    expect(sent).toContain('"x-team":"blue"');
    expect(sent).not.toMatch(/"(?:authorization|cookie)":/);
  }
  await service.close();
  await stub.close();
});

describe('in production', () => {
  it('clients get the code of a subgraph and its name, but not its message', async () => {
    const stub = await startStub({
      data: { stubs: null },
      errors: [
        {
          message: 'relation "stubs" does not exist',
          path: ['stubs'],
          extensions: { code: 'NOT_FOUND', sql: 'SELECT' },
        },
      ],
    });
    const service = await startService({
      settings: { SUBGRAPHS: `stub=${stub.url}`, NODE_ENV: 'production', PUBLIC_URL: 'https://api.example.com' },
    });
    const { apiKey } = await seedTeaShop(service);
    const { text, status } = await askGraphql(service.origin, apiKey, '{ stubs shop { name } }');
    await service.close();
    await stub.close();

    expect(status).toBe(200);
    expect(JSON.parse(text)).toMatchObject({
      data: { stubs: null, shop: { name: 'Hearth & Bean' } },
      errors: [
        {
          message: 'The subgraph "stub" reported an error.',
          path: ['stubs'],
          extensions: { code: 'NOT_FOUND', service: 'stub' },
        },
      ],
    });
    expect(text).not.toMatch(/relation|SELECT/);
  });
});

describe('SUPERGRAPH_FILE', () => {
  const path = join(mkdtempSync(join(tmpdir(), 'catalog-supergraph-')), 'supergraph.graphql');

  it('is served, loaded again when it changes, and the last good one stays when it is broken or missing', async () => {
    const stub = await startStub();
    const compose = (sdl: string) =>
      composeSubgraphs([
        { name: 'catalog', url: 'https://catalog.test/subgraph', sdl: createCatalogSubgraph().sdl },
        { name: 'stub', url: stub.url, sdl },
      ]);
    writeFileSync(path, compose(stubSdl));
    const service = await startFederatedService({ SUPERGRAPH_FILE: path });
    const { apiKey } = await seedTeaShop(service);
    const query = '{ stubs products(first: 1) { nodes { title } } }';
    expect(service.log.filter(({ msg }) => msg === `reading and checking the supergraph in ${path}`)).toHaveLength(1);
    const whole = { stubs: ['one'], products: { nodes: [{ title: 'Teapot' }] } };

    expect((await service.ask(apiKey, query)).data).toEqual(whole);
    writeFileSync(path, compose(stubSdl.replace('stubs:', 'more: Int stubs:')));
    await service.poll(/^using the supergraph in/);
    expect((await service.ask(apiKey, '{ __type(name: "Query") { fields { name } } }')).text).toContain('"more"');
    writeFileSync(path, 'type Query { nothing: Int }');
    await service.poll(/rejected; the last good supergraph stays in use/);
    rmSync(path);
    await service.poll(/no such file/);
    await expect(service.poll(/./)).rejects.toThrow('The poll said []');
    expect((await service.ask(apiKey, query)).data).toEqual(whole);
    writeFileSync(path, compose(stubSdl));
    await service.poll(/^using the supergraph in/);
    await service.close();
    await stub.close();
  });

  it('that takes a field from the catalog is refused at start, since REST would show another value', async () => {
    const taking = `extend schema @link(url: "https://specs.apollo.dev/federation/v2.3", import: ["@key", "@override"])
      type Product @key(fields: "id") { id: ID! title: String! @override(from: "catalog") }`;
    const catalog = { name: 'catalog', url: 'https://catalog.test/subgraph', sdl: createCatalogSubgraph().sdl };
    writeFileSync(path, composeSubgraphs([catalog, { name: 'stub', url: 'http://stub.test', sdl: taking }]));

    await expect(startService({ settings: { SUPERGRAPH_FILE: path } })).rejects.toThrow(
      /the catalog's part of the graph would change: Product.title would be resolved by STUB/,
    );
  });

  it('that leaves the catalog out is refused at start, by the operations that would break', async () => {
    writeFileSync(path, composeSubgraphs([{ name: 'stub', url: 'http://stub.test', sdl: stubSdl }]));

    await expect(startService({ settings: { SUPERGRAPH_FILE: path } })).rejects.toThrow(
      /operations of the REST API would break: getShop/,
    );
  });
});
