import { execute, graphql, parse } from 'graphql';
import { composeSubgraphs } from '../../src/federation/supergraph/compose-subgraphs';
import { buildSubgraph } from '../../src/federation/catalog/build-subgraph';

const link = (imports: string, version = '2.9', extra = '') =>
  `extend schema @link(url: "https://specs.apollo.dev/federation/v${version}"${extra}, import: [${imports}])`;

const entities = (
  subgraph: { schema: Parameters<typeof graphql>[0]['schema'] },
  representations: unknown[],
  fields = '... on Product { id title }',
) =>
  graphql({
    schema: subgraph.schema,
    source: `query ($r: [_Any!]!) { _entities(representations: $r) { __typename ${fields} } }`,
    variableValues: { r: representations },
  });

describe('the SDL of a subgraph', () => {
  const typeDefs = `${link('"@key", "@shareable", { name: "@tag", as: "@label" }')}
    "What is sold"
    type Product @key(fields: "id") @label(name: "public") {
      "Its name"
      title: String @shareable
      id: ID!
      cost: Int @federation__inaccessible
    }
    type Query { product: Product }`;

  it('is served with its @link, every directive and every description, and without the types of federation', async () => {
    const { schema } = buildSubgraph({ typeDefs });
    const { data } = await graphql({ schema, source: '{ _service { sdl } }' });

    const sdl = (data?.['_service'] as { sdl: string }).sdl;
    expect(sdl).toContain('@link(url: "https://specs.apollo.dev/federation/v2.9"');
    expect(sdl).toContain('@key(fields: "id") @label(name: "public")');
    expect(sdl).toContain('@federation__inaccessible');
    expect(sdl).toContain('"What is sold"');
    expect(sdl).not.toMatch(/_Any|_Entity|_service|scalar federation__FieldSet/);
  });

  it('is what the schema was built from: built again it stays the same', () => {
    const { sdl } = buildSubgraph({ typeDefs });

    expect(buildSubgraph({ typeDefs: sdl }).sdl).toBe(sdl);
    expect(buildSubgraph({ typeDefs: parse(typeDefs) }).sdl).toBe(sdl);
  });

  it('composes', () => {
    const { sdl } = buildSubgraph({ typeDefs });

    expect(composeSubgraphs([{ name: 'catalog', url: 'http://catalog.test', sdl }])).toContain('type Product');
  });
});

describe('the schema of a subgraph', () => {
  const names = (typeDefs: string) => {
    const types = buildSubgraph({ typeDefs }).schema.getTypeMap();
    return { types, query: Object.keys((types['Query'] as { getFields?: () => object }).getFields?.() ?? {}) };
  };

  it('has the fields and types of the subgraph specification', () => {
    const { types, query } = names(`${link('"@key"')} type A @key(fields: "id") { id: ID! } type Query { a: A }`);

    expect(query).toEqual(['a', '_service', '_entities']);
    expect(String(types['_Entity'])).toBe('_Entity');
    expect(types['_Any']?.toString()).toBe('_Any');
  });

  it('has no _entities without an entity', () => {
    expect(names(`${link('')} type A { id: ID! } type Query { a: A }`).query).toEqual(['a', '_service']);
  });

  it('accepts keys that cannot be resolved for references only', () => {
    const typeDefs = `${link('"@key"')} type A @key(fields: "id", resolvable: false) { id: ID! } type Query { a: A }`;

    expect(names(typeDefs).query).toEqual(['a', '_service']);
  });

  it.each([
    ['renamed', link('{ name: "@key", as: "@identity" }'), '@identity'],
    ['not imported', link(''), '@federation__key'],
    ['in another namespace', link('', '2.9', ', as: "fed"'), '@fed__key'],
  ])('knows @key %s', (_, schema, key) => {
    expect(names(`${schema} type A ${key}(fields: "id") { id: ID! } type Query { a: A }`).query).toContain('_entities');
  });

  it.each([
    ['2.0', '@shareable', true],
    ['2.0', '@interfaceObject', false],
    ['2.3', '@interfaceObject', true],
    ['2.4', '@requiresScopes', false],
    ['2.5', '@requiresScopes', true],
    ['2.5', '@policy', false],
    ['2.9', '@listSize', true],
  ])('of version %s: %s is known: %s', (version, directive, isKnown) => {
    const { schema } = buildSubgraph({ typeDefs: `${link(`"${directive}"`, version)} type Query { a: Int }` });

    expect(schema.getDirective(directive.slice(1)) !== undefined).toBe(isKnown);
  });

  it('may extend types of other subgraphs, and the query type that it does not define', () => {
    const { types, query } = names(
      `${link('"@key", "@external"')} extend type A @key(fields: "id") { id: ID! @external } extend type Query { a: A }`,
    );

    expect(types['A']).toBeDefined();
    expect(query).toEqual(['a', '_service', '_entities']);
  });

  it('may rename its query type', async () => {
    const { schema } = buildSubgraph({ typeDefs: `${link('')} schema { query: Root } type Root { a: Int }` });

    expect((await graphql({ schema, source: '{ _service { sdl } }' })).errors).toBeUndefined();
  });

  it('keeps definitions that the author wrote out', () => {
    const typeDefs = `${link('"@key"')} scalar federation__FieldSet
      directive @key(fields: federation__FieldSet!, resolvable: Boolean = true) repeatable on OBJECT | INTERFACE
      type A @key(fields: "id") { id: ID! } type Query { a: A }`;

    expect(() => buildSubgraph({ typeDefs })).not.toThrow();
  });

  it('is refused without a link to Federation 2, saying what is missing', () => {
    expect(() => buildSubgraph({ typeDefs: 'type Query { a: Int }' })).toThrow('@link(url: "https://specs.apollo.dev');
  });
});

describe('_entities', () => {
  const typeDefs = `${link('"@key"')}
    type Product @key(fields: "id") { id: ID! title: String! }
    type Shop @key(fields: "id") { id: ID! }
    interface Media @key(fields: "id") { id: ID! }
    type Photo implements Media @key(fields: "id") { id: ID! width: Int }
    type Hidden { id: ID! }
    type Query { product: Product }`;
  const titles = new Map([
    ['1', 'Teapot'],
    ['2', 'Cup'],
  ]);
  const batches: unknown[] = [];
  const subgraph = buildSubgraph({
    typeDefs,
    resolvers: { Media: { __resolveType: () => 'Photo' } },
    references: {
      Product: {
        many: (representations) => {
          batches.push(representations.map(({ id }) => id as string));
          return representations.map(({ id }) => {
            const title = titles.get(id as string);
            if (id === 'bad') return new Error('this one is bad');
            return title === undefined ? null : Object.freeze({ id, title });
          });
        },
      },
      Media: ({ id }) => ({ id, width: 640 }),
    },
  });
  const product = (id: string) => ({ __typename: 'Product', id });

  it('returns entities in the order of the representations, with one batch per type', async () => {
    batches.length = 0;
    const { data, errors } = await entities(subgraph, [product('2'), { __typename: 'Shop', id: 's' }, product('1')]);

    expect(errors).toBeUndefined();
    expect(data?.['_entities']).toEqual([
      { __typename: 'Product', id: '2', title: 'Cup' },
      { __typename: 'Shop' },
      { __typename: 'Product', id: '1', title: 'Teapot' },
    ]);
    expect(batches).toEqual([['2', '1']]);
  });

  it('returns null, without an error, for an entity that does not exist', async () => {
    expect(await entities(subgraph, [product('9'), product('1')])).toEqual({
      data: { _entities: [null, { __typename: 'Product', id: '1', title: 'Teapot' }] },
    });
  });

  it('returns the representation itself for a type without a reference resolver', async () => {
    const { data } = await entities(subgraph, [{ __typename: 'Shop', id: 's' }], '... on Shop { id }');

    expect(data?.['_entities']).toEqual([{ __typename: 'Shop', id: 's' }]);
  });

  it('finds the implementation of an interface', async () => {
    const { data } = await entities(subgraph, [{ __typename: 'Media', id: 'm' }], '... on Photo { id width }');

    expect(data?.['_entities']).toEqual([{ __typename: 'Photo', id: 'm', width: 640 }]);
  });

  it('resolves the implementation of an interface that has no resolver', async () => {
    const { schema } = buildSubgraph({
      typeDefs,
      resolvers: { Media: { __resolveType: () => 'Photo' } },
      references: { Photo: ({ id }) => ({ id, width: 320 }) },
    });
    const { data } = await entities({ schema }, [{ __typename: 'Media', id: 'm' }], '... on Photo { id width }');

    expect(data?.['_entities']).toEqual([{ __typename: 'Photo', id: 'm', width: 320 }]);
  });

  it.each([
    ['of an unknown type', { __typename: 'Nothing', id: '1' }],
    ['without a type', { id: '1' }],
    ['of a type that is no entity', { __typename: 'Hidden', id: '1' }],
    ['of a scalar', { __typename: 'String', id: '1' }],
    ['that is a text', 'Product'],
    ['whose resolver fails', product('bad')],
  ])('fails a representation %s alone', async (_, representation) => {
    const { data, errors } = await entities(subgraph, [product('1'), representation, product('2')]);

    expect(data?.['_entities']).toEqual([
      { __typename: 'Product', id: '1', title: 'Teapot' },
      null,
      { __typename: 'Product', id: '2', title: 'Cup' },
    ]);
    expect(errors?.map(({ path }) => path)).toEqual([['_entities', 1]]);
  });

  it('fails only the type whose batch fails', async () => {
    const { schema } = buildSubgraph({
      typeDefs,
      references: {
        Product: { many: () => Promise.reject(new Error('database unavailable')) },
        Shop: ({ id }) => ({ id }),
      },
    });
    const { data, errors } = await entities({ schema }, [product('1'), { __typename: 'Shop', id: 's' }]);

    expect(data?.['_entities']).toEqual([null, { __typename: 'Shop' }]);
    expect(errors).toHaveLength(1);
  });

  it('passes the fields of an @requires and the context on to the resolver', async () => {
    const seen: unknown[] = [];
    const { schema } = buildSubgraph({
      typeDefs,
      references: { Product: (representation, context) => void seen.push(representation, context) },
    });
    await execute({
      schema,
      document: parse('query ($r: [_Any!]!) { _entities(representations: $r) { __typename } }'),
      variableValues: { r: [{ ...product('1'), weight: { grams: 3 } }] },
      contextValue: 'context',
    });

    expect(seen).toEqual([{ ...product('1'), weight: { grams: 3 } }, 'context']);
  });
});
