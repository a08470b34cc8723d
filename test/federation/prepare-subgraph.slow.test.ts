import { parse } from 'graphql';
import { readScopeRequirements } from '../../src/federation/supergraph/scope-requirements';
import { createComposer } from '../../src/federation/catalog/composer';
import { composeSubgraphs } from '../../src/federation/supergraph/compose-subgraphs';

const compose = (...sdls: readonly string[]): string =>
  composeSubgraphs(sdls.map((sdl, index) => ({ name: `s${index}`, url: 'http://127.0.0.1:9/', sdl })));
const link = (version: string, imports: string, rest = ''): string =>
  `extend schema @link(url: "https://specs.apollo.dev/federation/${version}", import: [${imports}]${rest})`;
const types = 'type Query { a: A } type A @key(fields: "id") { id: ID! }';

it.each(['v2.0', 'v2.9', 'v2.10', 'v2.12', 'v2.99'])('composes a subgraph of Federation %s', (version) => {
  expect(compose(`${link(version, '"@key"')} ${types}`)).toContain('enum join__Graph');
});

it('composes a newer version under other names', () => {
  const sdl = `${link('v2.11', '{ name: "@key", as: "@entity" }')} ${types.replace('@key', '@entity')}`;

  expect(compose(`${sdl} type B @federation__shareable { a: Int }`)).toContain('enum join__Graph');
});

it.each([
  ['imports', `${link('v2.12', '"@key", "@cacheTag"')} ${types}`],
  ['imports under another name', `${link('v2.12', '"@key", { name: "@cacheTag", as: "@c" }')} ${types}`],
  ['uses by its namespace', `${link('v2.12', '"@key"', ', as: "f"')} ${types.replace('@key', '@f__cacheTag(format: "a") @key')}`],
])('names an element that is newer, which the subgraph %s', (_, sdl) => {
  expect(() => compose(sdl)).toThrow(
    '[s0] UNSUPPORTED_FEDERATION_ELEMENT: @cacheTag of Federation v2.12 is not supported; expected elements of v2.0 to v2.9',
  );
}); // prettier-ignore

it.each([
  ['"a"', [['a']]],
  ['["a", "b"]', [['a'], ['b']]],
  ['[["a", "b"], "c"]', [['a', 'b'], ['c']]],
])('takes the single values of @requiresScopes(scopes: %s) for lists', (scopes, expected) => {
  for (const [imports, name] of [
    ['"@requiresScopes", "@policy"', ['requiresScopes', 'policy']],
    ['{ name: "@requiresScopes", as: "@r" }, { name: "@policy", as: "@p" }', ['r', 'p']],
    ['"@key"', ['federation__requiresScopes', 'federation__policy']],
  ] as const) {
    const sdl = `${link('v2.9', imports)} type Query { a: Int @${name[0]}(scopes: ${scopes}) b: Int @${name[1]}(policies: ${scopes}) }`;
    const requirements = readScopeRequirements(parse(compose(sdl)));

    expect(requirements.get('Query.a')?.scopes).toEqual(expected);
    expect(requirements.get('Query.b')?.policies).toEqual(expected);
  }
});

const all = '"@key", "@interfaceObject", "@external", "@requires", "@authenticated", "@requiresScopes"';
const owner = `${link('v2.9', all)} type Query { m: M }
  interface M @key(fields: "id") { id: ID! } type Book implements M @key(fields: "id") { id: ID! }`;
const weights = `${link('v2.9', all)} type M @key(fields: "id") @interfaceObject { id: ID! weight: Int @requiresScopes(scopes: [["w"]]) }`;
const postage = (rule: string) =>
  `${link('v2.9', all)} type M @key(fields: "id") @interfaceObject { id: ID! weight: Int @external postage: Int @requires(fields: "weight") ${rule} }`;

it('refuses a field of an @interfaceObject that shows what it requires to callers who may not see that', () => {
  expect(() => compose(owner, weights, postage(''))).toThrow(/MISSING_TRANSITIVE_AUTH_REQUIREMENTS: M\.postage @requires/);
  expect(() => compose(owner, weights, postage('@authenticated'))).toThrow(/MISSING_TRANSITIVE/);
  expect(() => compose(owner, weights, postage('@requiresScopes(scopes: [["w"], ["x"]])'))).toThrow(/MISSING_TRANSITIVE/);
  expect(compose(owner, weights, postage('@requiresScopes(scopes: [["w", "x"]])'))).toContain('postage');
}); // prettier-ignore

/** Types that refer to each other in one long chain. */
const chain = (count: number): string =>
  `${link('v2.9', '"@key"')} type Query { t: T0 }
  ${Array.from({ length: count }, (_, i) => `type T${i} { a: T${(i + 1) % count} }`).join('\n')}`;

it('composes as many types that refer to each other as a subgraph may have, or says why not', async () => {
  const composer = createComposer(undefined, { findsNodes: false });
  const composed = async (...sdls: readonly string[]) =>
    composer.compose(sdls.map((sdl, index) => ({ name: `s${index}`, url: 'http://127.0.0.1:9/', sdl }))).then(
      () => 'composed',
      (thrown: Error) => thrown.message,
    );
  try {
    expect(await composed(chain(2999))).toBe('composed');
    // Deeper than a parser can go.
    expect(await composed(`type Query { a(b: Int = ${'['.repeat(90_000)}${']'.repeat(90_000)}): Int }`)).toMatch(
      /too deeply to check|levels of nested/,
    );
  } finally {
    composer.stop();
  }
});
