import { getIntrospectionQuery } from 'graphql';
import type { RestAnswer, RestCall } from '../support/rest-client';
import { exchange } from '../support/rest-client';
import { seedApiKey, seedShop } from '../support/seed';
import type { Service } from '../support/service';
import { startService } from '../support/service';

interface Case {
  /** By default, the request carries the shop's key. */
  readonly anonymous?: boolean;
  readonly target?: string;
  readonly method?: string;
  readonly headers?: Readonly<Record<string, string>>;
  /** Sent as JSON unless it is text or bytes already. */
  readonly body?: unknown;
}

type Outcome = readonly [status: number, code?: string];
type Named = readonly [title: string, given: Case, expected: Outcome];

let outside: Service;
let production: Service;
const keys = new Map<Service, string>();

async function start(settings: Record<string, string> = {}): Promise<Service> {
  const service = await startService({ rateLimit: 1000, settings });
  keys.set(service, (await seedApiKey(service.sql, await seedShop(service.sql))).apiKey);
  return service;
}

beforeAll(async () => {
  outside = await start();
  production = await start({ NODE_ENV: 'production', PUBLIC_URL: 'https://api.example.com' });
});
afterAll(() => Promise.all([...keys.keys()].map((service) => service.close())));

function send(service: Service, given: Case): Promise<RestAnswer> {
  const { anonymous = false, target = '/graphql', headers = {}, body } = given;
  const call: RestCall = {
    method: given.method ?? (body === undefined ? 'GET' : 'POST'),
    headers: {
      ...(anonymous ? {} : { Authorization: `Bearer ${keys.get(service)}` }),
      ...(body === undefined ? {} : { 'Content-Type': 'application/json' }),
      ...headers,
    },
    ...(body === undefined
      ? {}
      : { body: typeof body === 'string' || Buffer.isBuffer(body) ? body : JSON.stringify(body) }),
  };
  return exchange(service.origin, target, call);
}

async function outcome(service: Service, given: Case): Promise<Outcome> {
  const { status, body } = await send(service, given);
  const code = (body as { errors?: { extensions: { code: string } }[] } | undefined)?.errors?.[0]?.extensions.code;
  return code === undefined ? [status] : [status, code];
}

const get = (query: string, more = '') => `/graphql?query=${encodeURIComponent(query)}${more}`;
const preflight = { 'Apollo-Require-Preflight': 'true' };

describe('a request to /graphql', () => {
  const forgeable: Outcome = [400, 'BAD_USER_INPUT'];
  const cases: readonly Named[] = [
    ['GET of a query that only a script can send', { target: get('{ shop { id } }'), headers: preflight }, [200]],
    [
      'GET with a JSON content type',
      { target: get('{ shop { id } }'), headers: { 'Content-Type': 'application/json' } },
      [200],
    ],
    ['GET of a query with nothing but Authorization', { target: get('{ shop { id } }') }, [200]],
    ['GET that another site could send (CSRF)', { anonymous: true, target: get('{ __typename }') }, forgeable],
    ...['', 'text/plain', 'application/x-www-form-urlencoded', 'multipart/form-data'].map((type): Named => [
      `GET that another site could send with a cookie and the content type "${type}" (CSRF)`,
      {
        anonymous: true,
        target: get('{ __typename }'),
        headers: { Cookie: 'a=b', ...(type === '' ? {} : { 'Content-Type': type }) },
      },
      forgeable,
    ]),
    ...['Authorization', 'X-Apollo-Operation-Name', 'Apollo-Require-Preflight'].map((name): Named => [
      `GET with an empty ${name}`,
      { anonymous: true, target: get('{ __typename }'), headers: { [name]: '' } },
      name === 'Authorization' ? [401, 'UNAUTHORIZED'] : forgeable,
    ]),
    ...['Basic dTpw', 'Digest username="u"', 'Negotiate YQ==', 'Bearer'].map((value): Named => [
      `GET with what a browser may send automatically: ${value}`,
      { anonymous: true, target: get('{ __typename }'), headers: { Authorization: value } },
      [401, 'UNAUTHORIZED'],
    ]),
    ['a mutation by GET with Authorization', { target: get('mutation { a }') }, [405, 'METHOD_NOT_ALLOWED']],
    [
      'a mutation beside a query, by GET with Authorization',
      { target: get('query A { shop { id } } mutation B { a }', '&operationName=B') },
      [405, 'METHOD_NOT_ALLOWED'],
    ],
    ...['operationName', 'variables', 'extensions'].flatMap((name): Named[] => [
      [`GET with an empty ${name}`, { target: get('{ shop { id } }', `&${name}=`), headers: preflight }, [200]],
      [
        `GET of the schema without a credential, with an empty ${name}`,
        { anonymous: true, target: get('{ __typename }', `&${name}=`), headers: preflight },
        [200],
      ],
    ]),
    [
      'GET with two queries',
      { target: get('{ shop { id } }', '&query=x'), headers: preflight },
      [400, 'BAD_USER_INPUT'],
    ],
    [
      'GET with a content type of its own',
      { target: get('{ shop { id } }'), headers: { 'Content-Type': 'application/xml' } },
      [415, 'UNSUPPORTED_MEDIA_TYPE'],
    ],
    [
      'a form of another site (CSRF)',
      { body: 'query=x', headers: { 'Content-Type': 'application/x-www-form-urlencoded' } },
      [415, 'UNSUPPORTED_MEDIA_TYPE'],
    ],
    [
      'a body in Latin-1',
      { body: Buffer.from('{ "query": "{ shop { id } } # é" }', 'latin1') },
      [400, 'BAD_USER_INPUT'],
    ],
    ['a body in UTF-16', { body: Buffer.from('{ "query": "{ shop { id } }" }', 'utf16le') }, [400, 'BAD_USER_INPUT']],
    ['a body with a byte order mark', { body: '\ufeff{ "query": "{ shop { id } } # é" }' }, [200]],
    ['GET in Latin-1', { target: `${get('{ shop { id } }')}%23%E9` }, [400, 'BAD_USER_INPUT']],
    ['GET in UTF-8', { target: get('{ shop { id } } # é') }, [200]],
    ['a batch', { body: [{ query: '{ shop { id } }' }] }, [400, 'BAD_USER_INPUT']],
    [
      'a body beyond the limit',
      { body: { query: `{ shop { id } }${' '.repeat(300_000)}` } },
      [413, 'PAYLOAD_TOO_LARGE'],
    ],
    [
      'an unknown media type',
      { body: { query: '{ shop { id } }' }, headers: { Accept: 'image/png' } },
      [406, 'BAD_USER_INPUT'],
    ],
    [
      'an unknown persisted query',
      { body: { extensions: { persistedQuery: { version: 1, sha256Hash: 'x' } } } },
      [200, 'PERSISTED_QUERY_NOT_FOUND'],
    ],
    ['a mutation', { body: { query: 'mutation { a }' } }, [400, 'BAD_USER_INPUT']],
    ['a mutation by GET', { target: get('mutation { a }'), headers: preflight }, [405, 'METHOD_NOT_ALLOWED']],
    ['a subscription', { body: { query: 'subscription { a }' } }, [400, 'BAD_USER_INPUT']],
    [
      'two operations and no name',
      { body: { query: 'query A { __typename } query B { __typename }' } },
      [400, 'BAD_USER_INPUT'],
    ],
    [
      'a name that no operation has',
      { body: { query: 'query A { shop { id } }', operationName: 'B' } },
      [400, 'BAD_USER_INPUT'],
    ],
    [
      'one of two operations by its name',
      { body: { query: 'query A { a: __typename } query B { __typename }', operationName: 'B' } },
      [200],
    ],
  ];

  it.each(cases)('%s', async (_, given, expected) => {
    expect(await outcome(outside, given)).toEqual(expected);
  });

  it('has no page for a browser in production', async () => {
    const given = { headers: { Accept: 'text/html,application/xhtml+xml,*/*;q=0.8' } };
    expect(await outcome(production, given)).toEqual([400, 'BAD_USER_INPUT']);
    expect(await outcome(production, { ...given, anonymous: true })).toEqual([401, 'UNAUTHORIZED']);
  });
});

describe('the media type that is requested (GraphQL over HTTP, section 6)', () => {
  const json = 'application/json; charset=utf-8';
  const response = 'application/graphql-response+json; charset=utf-8';
  it.each([
    [undefined, json, 200],
    ['*/*', json, 200],
    ['application/json', json, 200],
    ['application/json, application/graphql-response+json', json, 200],
    ['application/json, application/graphql-response+json;q=0.9', json, 200],
    ['application/graphql-response+json;q=0, application/json', json, 200],
    ['application/graphql-response+json', response, 400],
    ['application/graphql-response+json, application/json;q=0.9', response, 400],
    ['text/html, application/graphql-response+json;q=0.9', response, 400],
    ['application/json; charset=utf-8', json, 200],
    ['application/json; charset=UTF-8, application/graphql-response+json; charset=UTF-8', json, 200],
    ['application/graphql-response+json; charset=utf-8, application/json; charset=utf-8', response, 400],
    ['application/graphql-response+json; charset=utf-8;q=0.9, application/json;q=0.5', response, 400],
  ])('%s decides on type and status of a document that does not parse', async (accept, type, status) => {
    const answer = await send(outside, {
      body: { query: '{' },
      headers: accept === undefined ? {} : { Accept: accept },
    });
    expect({ type: answer.headers['content-type'], status: answer.status }).toEqual({ type, status });
  });

  it.each(['application/json', 'application/graphql-response+json', 'image/png', '*/*'])(
    '%s changes nothing about refusals (D26)',
    async (accept) => {
      const given = { body: { query: '{ shop { id } }' }, headers: { Accept: accept } };
      expect(await outcome(outside, { ...given, anonymous: true })).toEqual([401, 'UNAUTHORIZED']);
    },
  );
});

describe('introspection (D26)', () => {
  const introspection = { body: { query: getIntrospectionQuery() } };
  const typeName = { body: { query: '{ __typename __type(name: "Shop") { name } }' } };
  const mixed = { body: { query: '{ __typename shop { id } }' } };
  const hidden = {
    body: { query: 'query A { __typename } query B { shop { id } }', operationName: 'B' },
  };
  const byGet = { target: get('{ __schema { queryType { name } } }'), headers: preflight };

  it.each([
    ['the whole schema', introspection],
    ['__typename and __type', typeName],
    ['the schema by GET', byGet],
  ])('needs no credential outside production, and a valid one in production: %s', async (_, given) => {
    expect(await outcome(outside, { ...given, anonymous: true })).toEqual([200]);
    expect(await outcome(production, { ...given, anonymous: true })).toEqual([401, 'UNAUTHORIZED']);
    expect(await outcome(production, given)).toEqual([200]);
  });

  it.each([
    ['in addition to data', mixed],
    ['in another operation than the one that runs', hidden],
  ])('%s needs a credential everywhere', async (_, given) => {
    expect(await outcome(outside, { ...given, anonymous: true })).toEqual([401, 'UNAUTHORIZED']);
    expect(await outcome(production, { ...given, anonymous: true })).toEqual([401, 'UNAUTHORIZED']);
  });

  it('refuses a wrong credential even where none is needed', async () => {
    const headers = { Authorization: 'Bearer ck_wrong.wrong' };
    expect(await outcome(outside, { ...introspection, anonymous: true, headers })).toEqual([401, 'UNAUTHORIZED']);
  });

  it('reveals no names: suggestions are for development only', async () => {
    const misspelled = { body: { query: '{ prodcts { id } }' } };
    expect((await send(outside, misspelled)).text).toContain('Did you mean');
    expect((await send(production, misspelled)).text).not.toContain('Did you mean');
  });
});
