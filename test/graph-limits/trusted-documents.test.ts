import { createHash } from 'node:crypto';
import type { IdentifiedRequest } from '../../src/graph/limits/trusted-documents';
import { createTrustedDocuments } from '../../src/graph/limits/trusted-documents';

const sha256 = (text: string): string => createHash('sha256').update(text).digest('hex');

const shop = 'query Shop { shop { name } }';
const products = 'query Products { products { nodes { title } } }\n';
const other = '{ shop { id } }';

const apolloManifest = JSON.stringify({
  format: 'apollo-persisted-query-manifest',
  version: 1,
  operations: [
    { id: sha256(shop), body: shop, name: 'Shop', type: 'query' },
    { id: 'relay-md5', body: products, name: 'Products', type: 'query' },
  ],
});
const plainManifest = JSON.stringify({ [`sha256:${sha256(shop)}`]: shop, 'relay-md5': products });

const persistedQuery = (sha256Hash: unknown, version: unknown = 1) => ({ persistedQuery: { version, sha256Hash } });

describe.each([
  ['apollo-persisted-query-manifest', apolloManifest],
  ['object from identifier to document', plainManifest],
])('%s', (_, manifest) => {
  const only = createTrustedDocuments(manifest, { mode: 'only' });

  test.each<[how: string, request: IdentifiedRequest, source: string]>([
    ['documentId with prefix', { documentId: `sha256:${sha256(shop)}` }, shop],
    ['documentId without prefix', { documentId: sha256(shop) }, shop],
    ["documentId of the manifest's own kind", { documentId: 'relay-md5' }, products],
    ['the digest of a document with an id of another kind', { documentId: `sha256:${sha256(products)}` }, products],
    ['persistedQuery', { extensions: persistedQuery(sha256(shop)) }, shop],
    ['both, agreeing', { documentId: `sha256:${sha256(shop)}`, extensions: persistedQuery(sha256(shop)) }, shop],
    ['its text', { query: shop }, shop],
    ['its text and its digest', { query: shop, extensions: persistedQuery(sha256(shop)) }, shop],
  ])('finds a document by %s', (__, request, source) => {
    expect(only.resolve(request)).toBe(source);
  });
});

describe('a request that names no trusted document', () => {
  const only = createTrustedDocuments(apolloManifest, { mode: 'only' });
  const unknown = sha256('{ other }');
  const syntax =
    '"documentId" must be "sha256:" followed by 64 lowercase hexadecimal digits, or an identifier from the manifest.';

  test.each<[what: string, request: IdentifiedRequest, code: string, message: string]>([
    [
      'unknown id',
      { documentId: `sha256:${unknown}` },
      'PERSISTED_QUERY_NOT_FOUND',
      'No document has this identifier.',
    ],
    [
      'unknown hash',
      { extensions: persistedQuery(unknown) },
      'PERSISTED_QUERY_NOT_FOUND',
      'No document has this identifier.',
    ],
    [
      'name of an object member',
      { documentId: 'constructor' },
      'PERSISTED_QUERY_NOT_FOUND',
      'No document has this identifier.',
    ],
    [
      'text',
      { query: other },
      'PERSISTED_QUERY_ID_REQUIRED',
      'Only trusted documents can be executed. Send a documentId.',
    ],
    [
      'text to register',
      { query: other, extensions: persistedQuery(sha256(other)) },
      'PERSISTED_QUERY_ID_REQUIRED',
      'Only trusted documents can be executed. Send a documentId.',
    ],
    [
      'text under the id of another',
      { query: other, documentId: sha256(shop) },
      'BAD_USER_INPUT',
      'The document identifier does not match "query".',
    ],
    ['uppercase digest', { documentId: `sha256:${sha256(shop).toUpperCase()}` }, 'BAD_USER_INPUT', syntax],
    ['short digest', { documentId: 'sha256:abc' }, 'BAD_USER_INPUT', syntax],
    ['reserved prefix', { documentId: 'md5:abc' }, 'BAD_USER_INPUT', syntax],
    ['empty id', { documentId: '' }, 'BAD_USER_INPUT', syntax],
    ['number', { documentId: 1 }, 'BAD_USER_INPUT', syntax],
    ['unbounded id', { documentId: 'a'.repeat(513) }, 'BAD_USER_INPUT', syntax],
    [
      'a hash that is not text',
      { extensions: persistedQuery(1) },
      'BAD_USER_INPUT',
      '"extensions.persistedQuery.sha256Hash" must be a string of 1 to 512 characters.',
    ],
    [
      'other version',
      { extensions: persistedQuery(sha256(shop), 2) },
      'PERSISTED_QUERY_NOT_SUPPORTED',
      'Only version 1 of "extensions.persistedQuery" is supported.',
    ],
    [
      'two ids',
      { documentId: 'relay-md5', extensions: persistedQuery(sha256(shop)) },
      'BAD_USER_INPUT',
      '"documentId" and "extensions.persistedQuery" identify different documents.',
    ],
    ['query that is no text', { query: {} }, 'BAD_USER_INPUT', '"query" must be a string.'],
  ])('%s', (_, request, code, message) => {
    expect(refusal(() => only.resolve(request))).toEqual({ code, message });
  });

  test('without any document at all it is left to the server', () => {
    expect(only.resolve({ extensions: { tracing: true } })).toBeUndefined();
    expect(only.resolve({ query: '', documentId: null, extensions: null })).toBeUndefined();
  });
});

test('in addition to trusted documents, mode "also" runs any other text and learns nothing from it', () => {
  const also = createTrustedDocuments(plainManifest, { mode: 'also' });
  expect(also.resolve({ query: other, extensions: persistedQuery(sha256(other)) })).toBe(other);
  expect(refusal(() => also.resolve({ extensions: persistedQuery(sha256(other)) }))).toMatchObject({
    code: 'PERSISTED_QUERY_NOT_FOUND',
  });
});

describe('a manifest that cannot be trusted is refused as a whole', () => {
  const shape =
    'the manifest must be an apollo-persisted-query-manifest of version 1, or an object that maps identifiers to documents';
  test.each<[what: string, text: string, message: string]>([
    ['no JSON', '{', 'the manifest is not valid JSON'],
    ['a list', '[]', shape],
    ['another version', apolloManifest.replace('"version":1', '"version":2'), shape],
    ['no text', '{"a": 1}', shape],
    ['no GraphQL', '{"a": "{"}', 'the document "a" in the manifest is not valid GraphQL'],
    [
      'a digest of something else',
      JSON.stringify({ [`sha256:${sha256(other)}`]: shop }),
      `the identifier "sha256:${sha256(other)}" in the manifest is not the SHA-256 hash of its document`,
    ],
    [
      'an identifier twice',
      apolloManifest.replace('relay-md5', sha256(shop)),
      `the manifest contains the identifier "${sha256(shop)}" twice`,
    ],
  ])('%s', (_, text, message) => {
    expect(() => createTrustedDocuments(text, { mode: 'only' })).toThrow(message);
  });
});

function refusal(run: () => unknown): { code: unknown; message: string } {
  try {
    run();
  } catch (thrown) {
    const { code, message, extensions } = thrown as {
      code?: unknown;
      message: string;
      extensions?: { code?: unknown };
    };
    return { code: code ?? extensions?.code, message };
  }
  throw new Error('Nothing was refused.');
}
