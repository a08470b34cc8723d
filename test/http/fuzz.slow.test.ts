import { hostileUnitTexts, toFieldValue } from '../support/hostile-text';
import { findOperation, findViolations, openApiDocument } from '../support/openapi-validator';
import type { RestAnswer, RestCall } from '../support/rest-client';
import { exchange } from '../support/rest-client';
import { seedCollection, seedOrder, seedProduct, seedVariant } from '../support/seed';
import { useService } from '../support/service';
import type { ShopFixture } from '../support/shop-fixture';
import { createShop } from '../support/shop-fixture';
import { fc } from '../support/properties';

/** The secret of /subgraph. */
const routerSecret = 'a secret between a router and this service';

let shop: ShopFixture;
let productId: string;

const service = useService({ rateLimit: 1_000_000, settings: { SUBGRAPH_SECRET: routerSecret } });
beforeAll(async () => {
  shop = await createShop(service);
  productId = await seedProduct(service.sql, shop.shopId);
  await seedVariant(service.sql, shop.shopId, productId);
  await seedCollection(service.sql, shop.shopId);
  await seedOrder(service.sql, shop.shopId);
});

interface Schema {
  readonly type: string;
  readonly enum?: readonly string[];
  readonly minimum?: number;
  readonly maximum?: number;
}

interface Parameter {
  readonly name: string;
  readonly in: string;
  readonly schema: Schema;
  readonly example: unknown;
}

interface Reference {
  readonly $ref: string;
}

/** A part of the document, wherever it is defined. */
function follow<Part extends object>(given: Part | Reference): Part {
  if (!('$ref' in given)) return given;
  const steps = given.$ref.slice(2).split('/');
  return steps.reduce<unknown>((node, step) => (node as Record<string, unknown>)[step], openApiDocument()) as Part;
}

function toParameter(given: Parameter | Reference): Parameter {
  const parameter = follow(given);
  return { ...parameter, schema: follow(parameter.schema) };
}

/** Names that reach a prototype where code merges client input. */
const specialNames = ['__proto__', 'constructor', 'prototype', 'constructor.prototype', '__proto__[limit]'];

const hostileText = fc.oneof(
  fc.string({ unit: 'binary', maxLength: 60 }),
  hostileUnitTexts,
  fc.constantFrom(
    '',
    '0',
    '-1',
    '1e3',
    '201',
    '99999999999999999999',
    'true',
    'TRUE',
    'null',
    ...specialNames,
    "' OR 1=1 --",
    '%',
    '_',
    '\\',
    '\u0000',
    '\ud800',
    '(a+)+$',
    'a'.repeat(3000),
  ),
);

const encode = (text: string): string => encodeURIComponent(Buffer.from(text).toString());

/** Percent-encoding as clients write it, correctly or not. */
const encoded = fc
  .tuple(hostileText, fc.boolean())
  .map(([text, isRaw]) => (isRaw ? text.replaceAll(/[^!-~]|[#?]/gu, '%') : encode(text)));

/** Values that the document allows. Any text is one if the document has no further rule. */
function allowedBy({ schema, example }: Parameter): fc.Arbitrary<string> {
  const { type, minimum: min, maximum: max } = schema;
  if (schema.enum !== undefined) return fc.constantFrom(...schema.enum);
  if (type === 'boolean') return fc.constantFrom('true', 'false');
  if (type === 'integer' && min !== undefined && max !== undefined) {
    return fc.oneof(fc.constantFrom(min, max), fc.integer({ min, max })).map(String);
  }
  if (type !== 'string') throw new Error(`what does ${type} allow?`);
  return fc.oneof(fc.constant(String(example)), fc.string({ unit: 'binary', maxLength: 60 }));
}

const operations = Object.entries(openApiDocument().paths).map(([path, { get }]) => ({
  path,
  parameters: ((get as unknown as { parameters?: (Parameter | Reference)[] }).parameters ?? []).map(toParameter),
}));
const headerNames = operations
  .flatMap(({ parameters }) => parameters.filter((parameter) => parameter.in === 'header'))
  .map(({ name }) => name.toLowerCase());

const hostileHeaders = fc
  .dictionary(
    fc.constantFrom(
      ...headerNames,
      'accept',
      'accept-encoding',
      'if-modified-since',
      'range',
      'traceparent',
      'cookie',
      'origin',
      'x-forwarded-for',
      'x-forwarded-host',
      'x-http-method-override',
      'access-control-request-headers',
      'apollographql-client-name',
      'tracestate',
      'user-agent',
      'content-type',
    ),
    fc.oneof(
      fc.string({ maxLength: 80 }),
      hostileUnitTexts.map(toFieldValue),
      fc.constantFrom('*', '"a"', 'W/"a", "b"', 'gzip;q=0', 'bytes=0-1', 'text/html'),
    ),
    { maxKeys: 4 },
  )
  .map((headers) => ({ ...headers }));

const authorization = fc.oneof(
  { weight: 6, arbitrary: fc.constant('own') },
  { weight: 1, arbitrary: fc.string({ maxLength: 60 }) },
  { weight: 1, arbitrary: fc.constantFrom('', 'Bearer', 'Bearer a.b.c', 'Basic Og==', 'Bearer __proto__.constructor') },
);

const toHeaders = (headers: Record<string, string>, credential: string): Record<string, string> => ({
  ...headers,
  ...(credential === 'own' ? { authorization: `Bearer ${shop.apiKey}` } : { authorization: credential }),
});

/** Internal words that no client may ever see. */
const leaks = /prisma|postgres|SELECT |\/src\/|\/dist\/|node_modules|at \w+ \(|ECONN|TypeError|RangeError/;

function findLeaks(sent: string, { text }: RestAnswer): string[] {
  const found = leaks.exec(text)?.[0];
  // The message may quote client input.
  return found === undefined || sent.includes(found) ? [] : [`tells of ${found}`];
}

/** Characters that node's client refuses to send are not the server's concern. */
const isSendable = (text: string): boolean => /^[\t\x20-\x7e\x80-\xff]*$/.test(text);

async function send(target: string, call: RestCall): Promise<RestAnswer | undefined> {
  const headers = Object.fromEntries(
    Object.entries(call.headers ?? {}).filter(([, value]) => typeof value === 'string' && isSendable(value)),
  );
  const answer = await exchange(service.origin, target, { ...call, headers });
  const unsafe = Object.entries(answer.headers).filter(
    ([name, value]) => name === 'set-cookie' || /[^\x20-\x7e]/.test(String(value)),
  );
  expect({ target, call, unsafe }).toEqual({ target, call, unsafe: [] });
  return answer;
}

/** Everything that all objects, lists, functions and strings of the process inherit, by name. */
const readInherited = (): readonly (readonly [string, unknown])[] =>
  [Object, Array, Function, String, Map, Promise].flatMap(({ name, prototype }) =>
    Reflect.ownKeys(prototype).map((key) => {
      const member = Object.getOwnPropertyDescriptor(prototype, key);
      return [`${name}.${String(key)}`, member?.get ?? (member?.value as unknown)] as const;
    }),
  );
const inherited = readInherited();
/** No name that a client sends reaches a prototype. */
afterEach(() => {
  expect(readInherited().filter(([, value], index) => !Object.is(value, inherited[index]?.[1]))).toEqual([]);
  expect(readInherited()).toHaveLength(inherited.length);
});

/** Built without JSON.stringify, which would omit `__proto__`. */
const polluting = [
  `{"query": "{ shop { id } }", "__proto__": {"polluted": 1, "variables": {"n": 1}}}`,
  `{"query": "{ shop { id } }", "constructor": {"prototype": {"polluted": 1}}}`,
  `{"query": "{ shop { id } }", "extensions": {"__proto__": {"polluted": 1}, "persistedQuery": {"__proto__": {"version": 1}}}}`,
  `{"__proto__": {"query": "{ shop { id } }"}}`,
  `[{"__proto__": {"polluted": 1}}]`,
];

const envelope = (body: unknown): boolean => {
  const { error, ...others } = (body ?? {}) as { error?: { code?: unknown; message?: unknown } };
  return typeof error?.code === 'string' && typeof error.message === 'string' && Object.keys(others).length === 0;
};

const inQuery = (parameters: readonly Parameter[]): Parameter[] =>
  parameters.filter((parameter) => parameter.in === 'query');
const restCall = fc.constantFrom(...operations).chain(({ path, parameters }) => {
  const known = inQuery(parameters).map((parameter) =>
    fc.tuple(fc.constant(parameter.name), fc.oneof(allowedBy(parameter).map(encode), encoded)),
  );
  const unknown = fc.tuple(fc.oneof(fc.constant('cursor'), encoded), encoded);
  const pair =
    known.length === 0
      ? unknown
      : fc.oneof({ weight: 5, arbitrary: fc.oneof(...known) }, { weight: 1, arbitrary: unknown });
  const pathValue = fc.oneof(
    fc.constant('own'),
    fc.uuid(),
    encoded.filter((text) => !/[/]/.test(text)),
  );
  return fc.record({
    path: pathValue.map((value) => path.replace('{productId}', value)),
    query: fc.array(pair, { maxLength: 4 }).map((pairs) => pairs.map(([key, value]) => `${key}=${value}`).join('&')),
    method: fc.oneof(
      { weight: 8, arbitrary: fc.constant('GET') },
      { weight: 1, arbitrary: fc.constantFrom('HEAD', 'POST', 'PUT', 'DELETE', 'PATCH', 'TRACE', 'PROPFIND') },
    ),
    headers: hostileHeaders,
    credential: authorization,
    body: fc.oneof(
      { weight: 4, arbitrary: fc.constant(undefined) },
      { weight: 1, arbitrary: fc.string({ maxLength: 200 }) },
    ),
  });
});

/** Refusals of a request before its operation is known: body too large, URL too long, too many headers. */
const ofProtocol = new Set([413, 414, 431]);

/** For hours of fuzzing: FUZZ_RUNS=100000. */
const options = { numRuns: Number(process.env['FUZZ_RUNS'] ?? 250) };

describe('for any request', () => {
  it('below /v1: no 500, and the documented shape of every response', async () => {
    await fc.assert(
      fc.asyncProperty(restCall, async ({ path, query, method, headers, credential, body }) => {
        const target = `/v1${path.replace('/own', `/${productId}`)}${query === '' ? '' : `?${query}`}`;
        const answer = await send(target, {
          method,
          headers: toHeaders(headers, credential),
          ...(body === undefined || method === 'TRACE' ? {} : { body }),
        });
        if (answer === undefined) return;
        const operation = findOperation(path.split('?')[0] ?? '');
        const isOperation = method === 'GET' && operation !== undefined && !ofProtocol.has(answer.status);
        const problems = findLeaks(`${target}${JSON.stringify(headers)}`, answer);
        if (answer.status >= 500) problems.push(`status ${answer.status}`);
        if (isOperation) problems.push(...findViolations(operation, answer));
        else if (answer.status >= 400 && method !== 'HEAD' && !envelope(answer.body)) problems.push('no envelope');
        if (typeof answer.headers['ratelimit-limit'] !== 'string') problems.push('no RateLimit-Limit (D19)');
        expect({ target, method, problems, text: problems.length > 0 ? answer.text : '' }).toMatchObject({
          problems: [],
        });
      }),
      options,
    );
  });

  it.each(['/graphql', '/subgraph'])('to %s: no 500, JSON with data or errors', async (path) => {
    const documents = fc.oneof(
      fc.string({ unit: 'binary', maxLength: 200 }),
      fc.constantFrom(
        '{ shop { id } }',
        'query($first: Int, $filter: ProductFilter) { products(first: $first, filter: $filter) { nodes { id } } }',
        'query($id: ID!) { node(id: $id) { id } product(id: $id) { id variants { id } } }',
        '{ _service { sdl } }',
        'query($all: [_Any!]!) { _entities(representations: $all) { __typename ... on Product { id variants { id } } } }',
        '{ __proto__ constructor }',
        'query($__proto__: Int) { products(first: $__proto__) { nodes { id } } }',
        '{ toString: shop { id } hasOwnProperty: shop { __proto__: id } }',
      ),
    );
    const variables = fc.oneof(
      fc.json({ maxDepth: 3 }),
      hostileText.map((text) => JSON.stringify({ id: text, first: text, filter: { query: text, tag: text } })),
      hostileText.map((text) => JSON.stringify({ all: [{ __typename: 'Product', id: text }, { __typename: text }] })),
      fc.json({ maxDepth: 2 }).map((each) => `{"all": [{"__typename": "Product", "id": ${each}}, ${each}]}`),
      fc.constantFrom(
        '{"__proto__": {"polluted": true}, "first": 1}',
        '{"filter": {"__proto__": {"polluted": true}}}',
        '{"filter": {"constructor": {"prototype": {"polluted": true}}}}',
        '{"first": 1e308}',
        '{"id": {"__proto__": []}}',
        '{"all": [{"__typename": "__proto__"}, {"__typename": "constructor", "__proto__": {"polluted": true}}]}',
      ),
    );
    const call = fc.record({
      body: fc.oneof(
        {
          weight: 3,
          arbitrary: fc
            .tuple(documents, variables)
            .map(([query, given]) => `{"query":${JSON.stringify(query)},"variables":${given}}`),
        },
        { weight: 1, arbitrary: fc.oneof(fc.json(), fc.constantFrom(...polluting)) },
        { weight: 1, arbitrary: fc.string({ unit: 'binary', maxLength: 300 }) },
      ),
      type: fc.constantFrom(
        'application/json',
        'application/json; charset=utf-8',
        'text/plain',
        'application/graphql',
        'multipart/form-data',
      ),
      credential: authorization,
      secret: fc.oneof({ weight: 8, arbitrary: fc.constant(routerSecret) }, { weight: 1, arbitrary: hostileText }),
    });
    await fc.assert(
      fc.asyncProperty(call, async ({ body, type, credential, secret }) => {
        const answer = await send(path, {
          method: 'POST',
          headers: toHeaders({ 'content-type': type, 'router-authorization': secret }, credential),
          body,
        });
        if (answer === undefined) return;
        const problems = findLeaks(body, answer);
        const given = (answer.body ?? {}) as { data?: unknown; errors?: { extensions?: { code?: unknown } }[] };
        if (answer.status >= 500) problems.push(`status ${answer.status}`);
        if (given.data === undefined && !Array.isArray(given.errors)) problems.push('neither data nor errors');
        if (given.errors?.some(({ extensions }) => extensions?.code === 'INTERNAL_SERVER_ERROR') === true)
          problems.push('an internal error');
        if (given.errors?.some(({ extensions }) => typeof extensions?.code !== 'string') === true)
          problems.push('an error without a code');
        expect({ body, problems, text: problems.length > 0 ? answer.text : '' }).toMatchObject({ problems: [] });
      }),
      options,
    );
  });

  it('to the token endpoint: no 500, RFC 6749 in every response', async () => {
    const field = fc.tuple(
      fc.constantFrom('grant_type', 'scope', 'client_id', 'client_secret', 'resource', ...specialNames),
      fc.oneof(fc.constantFrom('client_credentials', 'catalog:read', 'catalog:read orders:read'), hostileText),
    );
    const call = fc.record({
      body: fc.oneof(
        fc.array(field, { maxLength: 4 }).map((pairs) => new URLSearchParams(pairs).toString()),
        fc.string({ unit: 'binary', maxLength: 200 }),
      ),
      type: fc.constantFrom('application/x-www-form-urlencoded', 'application/json', 'text/plain'),
      user: fc.oneof(fc.constant('own'), fc.string({ maxLength: 30 })),
      method: fc.constantFrom('POST', 'POST', 'POST', 'GET', 'PUT'),
    });
    await fc.assert(
      fc.asyncProperty(call, async ({ body, type, user, method }) => {
        const pair = user === 'own' ? `${shop.clientId}:${shop.clientSecret}` : user;
        const answer = await send('/oauth/token', {
          method,
          headers: { 'content-type': type, authorization: `Basic ${Buffer.from(pair).toString('base64')}` },
          body,
        });
        if (answer === undefined) return;
        const problems = findLeaks(body, answer);
        const given = (answer.body ?? {}) as { access_token?: unknown; error?: unknown };
        if (answer.status >= 500) problems.push(`status ${answer.status}`);
        if (typeof (answer.status === 200 ? given.access_token : given.error) !== 'string')
          problems.push('not RFC 6749');
        expect({ body, problems, text: problems.length > 0 ? answer.text : '' }).toMatchObject({ problems: [] });
      }),
      options,
    );
  });

  it('to documents, probes, pages for people and routes that do not exist: no 500, and JSON or a page', async () => {
    const paths = fc.oneof(
      fc.constantFrom(
        '/livez',
        '/readyz',
        '/metrics',
        '/v1',
        '/v1/',
        '/v1/openapi.json',
        '/.well-known/jwks.json',
        '/.well-known/oauth-protected-resource/v1',
        '/.well-known/oauth-authorization-server',
        '/explorer',
        '/explorer/',
        '/favicon.ico',
        '/subgraph',
        '/graphql',
        '/export',
        '/changes',
      ),
      encoded.map((text) => `/explorer/assets/${text}`),
      encoded.map((text) => `/${text}`),
      encoded.map((text) => `/.well-known/${text}`),
    );
    const call = fc.record({
      path: paths,
      query: fc.oneof(
        encoded,
        fc.constantFrom(...polluting).map((variables) => `query={shop{id}}&variables=${encode(variables)}`),
        fc.tuple(fc.constantFrom(...specialNames), encoded).map((pair) => pair.join('=')),
      ),
      method: fc.constantFrom('GET', 'GET', 'HEAD', 'OPTIONS', 'POST', 'DELETE'),
      headers: hostileHeaders,
    });
    await fc.assert(
      fc.asyncProperty(call, async ({ path, query, method, headers }) => {
        const answer = await send(`${path}?${query}`, { method, headers });
        if (answer === undefined) return;
        const problems = findLeaks(`${path}${query}`, answer);
        if (answer.status >= 500) problems.push(`status ${answer.status}`);
        if (answer.status >= 400 && method !== 'HEAD' && answer.body === undefined) problems.push('no JSON');
        const isPage = String(answer.headers['content-type']).startsWith('text/html');
        if (path === '/explorer' && method === 'GET' && answer.status === 200 && !isPage) problems.push('no page');
        expect({ path, method, problems, text: problems.length > 0 ? answer.text : '' }).toMatchObject({
          problems: [],
        });
      }),
      options,
    );
  });
});
