import type { ConstDirectiveNode, DocumentNode, ExecutionResult, NameNode } from 'graphql';
import { execute, Kind, parse, print, printSchema, validate, visit } from 'graphql';
import { anonymous, readScopeRequirements } from '../../src/federation/supergraph/scope-requirements';
import { composeSubgraphs } from '../../src/federation/supergraph/compose-subgraphs';
import { createGatewayExecutor } from '../../src/federation/gateway/create-gateway-executor';
import type { GatewayExecutor } from '../../src/federation/gateway/gateway-operation';
import { readSupergraphNow } from './support/read-supergraph';
import { buildSubgraph } from './support/build-subgraph';
import { fc } from '../support/properties';

/** A graph in which everything named "secret" is protected, in every possible way. */
const link = `extend schema @link(url: "https://specs.apollo.dev/federation/v2.9", import: [
  "@key", "@requires", "@external", "@inaccessible", "@requiresScopes", "@authenticated", "@policy", "@tag"])`;
const shop = buildSubgraph({
  typeDefs: `${link}
    interface Media { id: ID! secretPrice: Int }
    type Book implements Media @key(fields: "id") {
      id: ID! title: String @tag(name: "t")
      secretPrice: Int @requiresScopes(scopes: [["price", "read"], ["admin"]])
      secretNote: String @authenticated
      secretAudit: String @policy(policies: [["auditor"]])
      secretCode: SecretCode secretKind: SecretKind
      hidden: Int @inaccessible
    }
    type Film implements Media @key(fields: "id") { id: ID! secretPrice: Int @authenticated }
    scalar SecretCode @authenticated
    enum SecretKind @requiresScopes(scopes: [["kinds"]]) { A B }
    type Vault @authenticated { secretText: String inner: Vault }
    type Query { book: Book media: Media secretVault: Vault film: Film }`,
  resolvers: {
    Media: { __resolveType: () => 'Book' },
    Query: { book: () => ({ id: '1' }), media: () => ({ id: '1' }), film: () => ({ id: '2' }), secretVault: () => ({}) },
    Book: { title: () => 'open', secretPrice: () => 5, secretNote: () => 'secret', secretAudit: () => 'secret', secretCode: () => 'secret', secretKind: () => 'A' },
    Film: { secretPrice: () => 7 },
    Vault: { secretText: () => 'secret', inner: () => ({}) },
  },
  references: { Book: (reference) => reference, Film: (reference) => reference },
}); // prettier-ignore
const stock = buildSubgraph({
  typeDefs: `${link}
    type Book @key(fields: "id") {
      id: ID! secretPrice: Int @external
      secretFee: Int @requires(fields: "secretPrice") @requiresScopes(scopes: [["price", "read"], ["admin"]])
      stock: Int secretStock: Int @authenticated
    }
    type Query { newest: Book }`,
  resolvers: {
    Query: { newest: () => ({ id: '1' }) },
    Book: { secretFee: () => 1, stock: () => 3, secretStock: () => 4 },
  },
  references: { Book: (reference) => reference },
});
const subgraphs = { shop, stock };
const plain = composeSubgraphs(
  Object.entries(subgraphs).map(([name, { sdl }]) => ({ name, url: `http://${name}.test`, sdl })),
);

const features = ['join', 'inaccessible', 'authenticated', 'requiresScopes', 'policy', 'tag', 'link'] as const;
type Feature = (typeof features)[number];

/** How a supergraph may link a feature (https://specs.apollo.dev/link/v1.0). */
interface Linking {
  /** `namespace`: `as`; `import`: the main directive under another name; `both`: both. */
  readonly way: 'plain' | 'namespace' | 'import' | 'both';
  readonly namespace: string;
  readonly local: string;
  readonly withPurpose: boolean;
}

type Linkings = Readonly<Record<Feature, Linking>>;

/** Rewrites a supergraph so that it means the same under different names. */
function relink(supergraph: DocumentNode, linkings: Linkings, inExtension: boolean, isCore: boolean): string {
  const root = (feature: Feature): string => {
    const { way, namespace, local } = linkings[feature];
    if (feature === 'join' || way === 'plain') return way === 'plain' || way === 'import' ? feature : namespace;
    return way === 'namespace' || (isCore && way === 'both') ? namespace : isCore ? feature : local;
  };
  const prefix = (feature: Feature) => (['namespace', 'both'].includes(linkings[feature].way) ? linkings[feature].namespace : feature); // prettier-ignore
  const rename = (name: string): string => {
    const [feature, element] = name.split('__') as [string, string | undefined];
    if (!features.includes(feature as Feature)) return name;
    if (element === undefined) return root(feature as Feature);
    // Imports one element of the join spec separately.
    if (feature === 'join' && element === 'field' && linkings.join.way === 'import' && !isCore) return linkings.join.local;
    return `${prefix(feature as Feature)}__${element}`;
  }; // prettier-ignore
  const links = features.map((feature) => {
    const { way, namespace, local, withPurpose } = linkings[feature];
    const version = { join: 'v0.5', inaccessible: 'v0.2', tag: 'v0.3', link: 'v1.0' }[feature as string] ?? 'v0.1';
    const as = way === 'namespace' || way === 'both' ? `, as: "${namespace}"` : '';
    const element = feature === 'join' ? '@field' : `@${feature}`;
    const isImported = !isCore && (feature === 'join' ? way === 'import' : way === 'import' || way === 'both');
    const imports = isImported ? `, import: [{ name: "${element}", as: "@${local}" }]` : '';
    const purpose = withPurpose && feature !== 'link' ? `, for: ${feature === 'join' ? 'EXECUTION' : 'SECURITY'}` : '';
    const url = `https://specs.apollo.dev/${isCore && feature === 'link' ? 'core/v0.2' : `${feature}/${version}`}`;
    // The document calls the @link directive whatever its own link says.
    const linking = isCore && !['namespace', 'both'].includes(linkings.link.way) ? 'core' : rename('link');
    return `@${linking}(${isCore ? 'feature' : 'url'}: "${url}"${as}${imports}${purpose})`;
  });
  const renameNode = <Node extends { readonly name: NameNode }>(node: Node): Node => ({
    ...node,
    name: { ...node.name, value: rename(node.name.value) },
  });
  const renamed = visit(supergraph, {
    SchemaDefinition: (node) => ({ ...node, directives: [] }),
    Directive: renameNode,
    DirectiveDefinition: renameNode,
    NamedType: renameNode,
    ScalarTypeDefinition: renameNode,
    EnumTypeDefinition: renameNode,
    InputObjectTypeDefinition: renameNode,
  });
  const text = print(renamed);
  return inExtension
    ? `${text}\nextend schema ${links.join(' ')}`
    : text.replace(/schema\s*\{/, `schema ${links.join(' ')} {`);
}

/** Names are distinct and include those of other features: if they are swapped, all have to be resolved at once. */
const linkings = fc
  .uniqueArray(fc.constantFrom('a', 'b', 'private', 'login', 'needs', 'rule', 'j', 'core2', 'x_y', 'l', 'm', 'n', 'o', 'p', 'authenticated', 'inaccessible', 'policy', 'requiresScopes', 'tag'), { minLength: 14, maxLength: 14 })
  .chain((names) =>
    fc.tuple(...features.map((_, index) =>
      fc.record({
        way: fc.constantFrom('plain' as const, 'namespace' as const, 'import' as const, 'both' as const),
        namespace: fc.constant(names[2 * index] as string),
        local: fc.constant(names[2 * index + 1] as string),
        withPurpose: fc.boolean(),
      }),
    )),
  )
  .map((list) => Object.fromEntries(features.map((feature, index) => [feature, list[index]])) as unknown as Linkings); // prettier-ignore

const calls: string[] = [];
const started: GatewayExecutor[] = [];
afterAll(() => {
  for (const gateway of started) gateway.retire();
});

function gatewayOf(supergraphSdl: string): GatewayExecutor {
  const gateway = createGatewayExecutor({
    supergraph: readSupergraphNow(supergraphSdl),
    callerOf: () => anonymous,
    executorFor: (name) => (request) => {
      calls.push(request.query);
      const { schema } = subgraphs[name as keyof typeof subgraphs];
      return execute({ schema, document: request.document, variableValues: request.variables });
    },
  });
  started.push(gateway);
  return gateway;
}

async function run(gateway: GatewayExecutor, query: string): Promise<ExecutionResult> {
  const document = parse(query);
  expect(validate(gateway.schema, document)).toEqual([]);
  return gateway.execute({ document, source: query });
}

/**
 * Every path to a protected field: through its type, an interface, fragments, aliases, another subgraph, or a field
 * that requires it.
 */
const operations = [
  '{ book { title secretNote } }',
  '{ book { title t: secretPrice a: secretAudit secretCode secretKind } }',
  '{ media { __typename secretPrice } }',
  '{ media { ... on Book { secretNote title } ... on Film { secretPrice } } }',
  '{ newest { stock secretStock secretFee ...F } } fragment F on Book { x: secretNote }',
  '{ secretVault { __typename secretText inner { t: secretText } } book { title } }',
  '{ film { secretPrice } }',
];

describe('security directives under other names', () => {
  /**
   * The same graph under different names; undefined if two things would share a name, which no reader could tell apart.
   */
  function read(names: Linkings, inExtension: boolean, isCore: boolean) {
    const supergraph = relink(parse(plain), names, inExtension, isCore);
    try {
      return { supergraph, ...readSupergraphNow(supergraph) };
    } catch (thrown) {
      expect((thrown as Error).message).toMatch(/ is also used by | more than once/);
      return undefined;
    }
  }

  it('require the same, and hide the same, as under their own; or the supergraph is refused', () => {
    const own = readSupergraphNow(plain);
    const requirements = readScopeRequirements(own.document);
    let served = 0;
    fc.assert(
      fc.property(linkings, fc.boolean(), fc.boolean(), (...names) => {
        const found = read(...names);
        if (found === undefined) return;
        served += 1;

        expect(printSchema(found.schema)).toBe(printSchema(own.schema));
        expect(readScopeRequirements(found.document)).toEqual(requirements);
      }),
      { numRuns: 150 },
    );
    expect(served).toBeGreaterThan(50);
  });

  it('protect the same fields, none of which is fetched', async () => {
    const reference = gatewayOf(plain);
    const answers = await Promise.all(operations.map((operation) => run(reference, operation)));
    await fc.assert(
      fc.asyncProperty(linkings, fc.boolean(), fc.boolean(), async (...names) => {
        const found = read(...names);
        if (found === undefined) return;
        const gateway = gatewayOf(found.supergraph);
        calls.length = 0;
        for (const [index, operation] of operations.entries()) {
          const answer = await run(gateway, operation);

          expect(answer).toEqual(answers[index]);
          expect(JSON.stringify(answer.data)).not.toMatch(/"secret"|:[1457]\b/);
        }
        expect(calls.join()).not.toMatch(/secret/i);
        gateway.retire();
      }),
      { numRuns: 8 },
    );
  });
});

const at = (place: string, directive: string): string => plain.replace(place, `${place} ${directive}`);
const linked = (text: string, ...rest: string[]): string =>
  plain.replace('schema @link', `schema ${text} @link`) + rest.join('\n');

it.each([
  ['a security feature that is not known', linked('@link(url: "https://specs.example.com/vault/v1.0", for: SECURITY)'), /vault.*SECURITY/],
  ['one under another name', linked('@link(url: "https://specs.example.com/vault/v1.0", as: "tag2", for: SECURITY)'), /vault.*SECURITY/],
  ['one that is linked in an extension', `${plain} extend schema @link(url: "https://specs.example.com/vault/v1.0", for: SECURITY)`, /vault.*SECURITY/],
  ['one by @core', linked('@core(feature: "https://specs.example.com/vault/v1.0", for: SECURITY)'), /vault.*SECURITY/],
  ['one whose purpose is given as text', linked('@link(url: "https://specs.example.com/vault/v1.0", for: "SECURITY")'), /vault.*SECURITY/],
  ['a feature for execution that is not known', linked('@link(url: "https://specs.apollo.dev/connect/v0.2", for: EXECUTION)'), /connect.*EXECUTION/],
  ['another purpose', linked('@link(url: "https://specs.example.com/vault/v1.0", for: PRIVACY)'), /SECURITY or EXECUTION/],
  ['a version that is not known', plain.replace('authenticated/v0.1', 'authenticated/v0.2'), /authenticated.*v0\.1/],
  ['no version', plain.replace('requiresScopes/v0.1', 'requiresScopes'), /requiresScopes.*v0\.1/],
  ['@authenticated of somebody else', linked('@link(url: "https://specs.example.com/mine/v1.0", import: ["@authenticated"])'), /authenticated belongs to/],
  ['@policy of a namespace of somebody else', plain.replace('specs.apollo.dev/policy', 'specs.example.com/policy').replace(/(policy\/v0\.1"), for: SECURITY/, '$1'), /policy belongs to/],
  ['@fromContext', linked('@link(url: "https://specs.apollo.dev/context/v0.1", for: SECURITY)'), /@fromContext/],
  ['contextArguments', plain.replace('@join__field(graph: STOCK)', '@join__field(graph: STOCK, contextArguments: [{ context: "c", name: "n", type: "Int", selection: "id" }])'), /contextArguments/],
  ['a rule at an argument', at('type Vault', '').replace('inner: Vault', 'inner(a: Int @authenticated): Vault'), /on InputValueDefinition/],
  ['a rule at a union', `${plain} union U @authenticated = Book | Film`, /on UnionTypeDefinition/],
  ['a rule at a value of an enum', plain.replace(/^ {2}A\b/m, '  A @authenticated'), /on EnumValueDefinition/],
  ['a rule in an extension', `${plain} extend type Book @authenticated`, /extension/],
  ['a type that is defined twice', `${plain} type Vault @authenticated { secretText: String }`, /more than once/],
  ['scopes that are not text', plain.replace(/\[\["kinds"\]\]/, '[[KINDS]]'), /lists of strings/],
  ['policies that are null', plain.replace(/\[\["auditor"\]\]/, '[null]'), /lists of strings/],
  ['a misspelled @link', plain.replace('schema @link(url: "https://specs.apollo.dev/link/v1.0")', 'schema @lnk(url: "https://specs.apollo.dev/authenticated/v0.1", for: SECURITY)'), /is neither @link nor an alias of it/],
  ['a link without a URL', linked('@link(as: "x")'), /expected the URL/],
  ['a non-text import', linked('@link(url: "https://specs.example.com/x/v1.0", import: [1])'), /expected a string/],
])('a supergraph with %s is refused at the start', (_, supergraph, message) => {
  expect(supergraph).not.toBe(plain);
  expect(() => gatewayOf(supergraph)).toThrow(message);
}); // prettier-ignore

const change = (edit: (directives: readonly ConstDirectiveNode[], path: string) => readonly ConstDirectiveNode[]): string =>
  print(
    visit(parse(plain), {
      ObjectTypeDefinition: (type) => ({
        ...type,
        fields: type.fields?.map((field) => ({ ...field, directives: edit(field.directives ?? [], `${type.name.value}.${field.name.value}`) })),
      }),
    }),
  ); // prettier-ignore
const isRule = ({ name }: ConstDirectiveNode) => ['authenticated', 'requiresScopes', 'policy'].includes(name.value);
const isKind = (kind: Kind) => (definition: { kind: Kind }) => definition.kind === kind;

it('protects fields that @requires a protected field, if the composer did not', async () => {
  const supergraph = change((directives, path) => (path === 'Book.secretFee' ? directives.filter((one) => !isRule(one)) : directives)); // prettier-ignore
  calls.length = 0;
  const answer = await run(gatewayOf(supergraph), '{ newest { secretFee stock } }');

  expect(JSON.parse(JSON.stringify(answer.data))).toEqual({ newest: { secretFee: null, stock: 3 } });
  expect(calls.join()).not.toMatch(/secret/);
});

it('protects the fields of implementations by a rule on their interface', async () => {
  const document = visit(parse(plain), {
    InterfaceTypeDefinition: (type) => ({
      ...type,
      fields: type.fields?.map((field) =>
        field.name.value === 'id' ? { ...field, directives: [{ kind: Kind.DIRECTIVE, name: { kind: Kind.NAME, value: 'authenticated' } }] } : field,
      ),
    }),
  }); // prettier-ignore
  expect(document.definitions.some(isKind(Kind.INTERFACE_TYPE_DEFINITION))).toBe(true);
  const answer = await run(gatewayOf(print(document)), '{ book { title } media { ... on Book { title id } } }');

  expect(JSON.parse(JSON.stringify(answer.data))).toEqual({ book: { title: 'open' }, media: null });
});

it('refuses scopes that combine into more alternatives than any graph has', () => {
  const scopes = (letter: string) =>
    `@requiresScopes(scopes: [${Array.from({ length: 50 }, (_, i) => `["${letter}${i}"]`).join(', ')}])`;
  const supergraph = plain
    .replace('type Vault', `type Vault ${scopes('a')}`)
    .replace('secretText: String', `secretText: String ${scopes('b')}`);

  expect(() => gatewayOf(supergraph)).toThrow('more than 1000 alternatives');
});
