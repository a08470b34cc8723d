import { parse, validate } from 'graphql';
import type { Principal } from '../../src/auth/principal';
import { scopes } from '../../src/auth/api-key';
import { RawJson, stringify, rewriteForPassthrough } from '../../src/catalog/passthrough';
import { columnsOf } from '../../src/catalog/model';
import { shopTables } from '../../src/catalog/rows/shop-tables';
import type { LocalGraph } from '../../src/graph/create-graph';
import { createGraph } from '../../src/graph/create-graph';
import { createPlainOperationMaker } from '../../src/graph/operations';
import { readOperationDocument } from '../../rest/operations';
import { seedCollection, seedOrder, seedProduct, seedShop, seedVariant } from '../support/seed';
import { useTestDatabase } from '../support/test-database';
import { fc } from '../support/properties';

let graph: LocalGraph;
let principal: Principal;

const hardText =
  'quote " backslash \\ slash / tab \t line \n \r \b \f \u0001 \u007f \u2028 é – 漢 😀 </script>,"title":{"id":1},"price":"\\';

const testDatabase = useTestDatabase();
beforeAll(async () => {
  const { sql, database } = testDatabase;
  graph = createGraph({ database, cursorSecrets: ['a secret of the tests'], build: 'test' });
  const shop = await seedShop(sql);
  for (let index = 0; index < 5; index += 1) {
    const at = `2026-01-0${index + 1}T00:00:00.120Z`;
    const product = await seedProduct(sql, shop, {
      ...{ title: `${hardText} ${index}`, description_html: index % 2 ? hardText : null, created_at: at },
      ...{ tags: [hardText, '', 'plain'].slice(index % 3), vendor: index % 2 ? null : 'Hay' },
    });
    await seedVariant(sql, shop, product, { price: '19.90', inventory_quantity: 9_007_199_254 });
    await seedCollection(sql, shop, { title: hardText, created_at: index === 0 ? null : at });
    await seedOrder(sql, shop, {
      created_at: index === 0 ? null : at,
      total_price: index === 1 ? null : '7.00',
      ...(index === 2 && {
        external_id: 'bob@example.com',
        customer_name: 'Bob <bob@example.com>',
        tags: ['a@b.example', 'é'],
      }),
    });
  }
  principal = { clientId: 'test', scopes, dataVersion: '1', shop: { id: shop } } as unknown as Principal;
});

/** The responses of both ways to a document, as text, and whether the document was rewritten at all. */
async function answers(source: string, variables: Record<string, unknown> = {}, caller = principal, by = graph) {
  const document = parse(source, { noLocation: true });
  expect(validate(by.schema, document)).toEqual([]);
  const [raw, resolved] = await Promise.all(
    [by.toOperation, createPlainOperationMaker(by.schema)].map((make) =>
      by.execute(make(source, document), caller, variables),
    ),
  );
  return {
    raw: stringify(raw),
    resolved: JSON.stringify(resolved),
    isRewritten: rewriteForPassthrough(by.schema, document) !== undefined,
  };
}

/** Lists of objects that are stored under other names have resolvers. */
const columnsOfRows = (table: 'products' | 'orders') =>
  columnsOf(table).flatMap(({ member, kind }) => (kind === 'list' ? [] : [member]));
const everyColumn = columnsOfRows('products').join(' ');
const everyOrderColumn = columnsOfRows('orders').join(' ');

/** Aliases, also those that statements use themselves. */
const names = fc.oneof(
  fc.stringMatching(/^[_A-Za-z][_0-9A-Za-z]{0,20}$/),
  fc.constantFrom(
    ...'finished shown found t short_scan at id output_0 selected row asked strategy chosen rows sized bytes'.split(
      ' ',
    ),
    ...'s w version json null select SELECT order user ctid'.split(' '),
    'n'.repeat(64),
  ),
);

describe('column-only selections', () => {
  it('are byte for byte what resolvers return, whatever is selected', async () => {
    const columns = fc.constantFrom('__typename', ...columnsOfRows('products'));
    const selected = fc.uniqueArray(fc.tuple(fc.option(names, { nil: undefined }), columns), {
      minLength: 1,
      maxLength: 25,
      selector: ([alias, column]) => alias ?? column,
    });
    await fc.assert(
      fc.asyncProperty(selected, fc.integer({ min: 0, max: 6 }), fc.boolean(), async (fields, size, reverse) => {
        const nodes = fields.map(([alias, column]) => (alias === undefined ? column : `${alias}: ${column}`));
        const source = `query ($size: Int) { products(first: $size, reverse: ${reverse}) {
          nodes { ${nodes.join(' ')} } pageInfo { startCursor endCursor } } }`;
        const { raw, resolved, isRewritten } = await answers(source, { size });
        expect({ text: raw, isRewritten }).toEqual({ text: resolved, isRewritten: true });
      }),
      { numRuns: 60 },
    );
  });

  it('fail as resolvers fail: with the same errors at the same paths', async () => {
    const { raw, resolved, isRewritten } = await answers(
      '{ page: products(first: 201) { all: nodes { id } } shop { id } orders { nodes { id } } }',
      {},
      { ...principal, scopes: ['account:read', 'catalog:read'] },
    );
    expect({ text: raw, isRewritten }).toEqual({ text: resolved, isRewritten: true });
    expect(resolved).toContain('orders:read');
    expect(resolved).toContain('first: expected');
  });

  it('are passed through as text also with errors, and only nulls stay readable for graphql-server.ts', async () => {
    const caller = { ...principal, scopes: ['account:read', 'catalog:read'] } as Principal;
    const run = async (source: string) => {
      const operation = graph.toOperation(source, parse(source, { noLocation: true }));
      const [plain, cacheable] = [graph.execute, graph.executeCached].map((by) => by(operation, caller, {}));
      return { plain: await plain, cacheable: await cacheable };
    };

    const partial = await run('{ products { nodes { id title } } orders { nodes { id } } }');
    expect(partial.cacheable?.data).toBeInstanceOf(RawJson);
    expect(stringify(partial.cacheable)).toBe(stringify(partial.plain));
    expect(partial.cacheable?.errors).toHaveLength(1);

    const { cacheable: failed } = await run('{ orders { nodes { id } } }');
    expect(failed).toMatchObject({ data: { orders: null }, errors: [{ path: ['orders'] }] });
  });

  it.each([
    '{ products { nodes { id } } products { nodes { title } } }',
    '{ products { nodes { id } } ...F } fragment F on Query { products { nodes { vendor } } }',
    '{ shop { products { nodes { id } } } ... { shop { products { edges { node { title } } } } } }',
  ])('return every field of merged selections: %s', async (source) => {
    const { raw, resolved } = await answers(source);
    expect(raw).toBe(resolved);
  });

  it.each([
    '{ products { nodes { id } } __type(name: "ProductConnection") { fields { name args { name } } } }',
    '{ products { nodes { id } } __schema { types { name fields { name args { name } } } } }',
    '{ products { nodes { id } } ...Schema } fragment Schema on Query { __type(name: "Query") { fields { name } } }',
  ])('do not show the raw fields in the schema: %s', async (source) => {
    const { raw, resolved, isRewritten } = await answers(source);
    expect(isRewritten).toBe(false);
    expect(raw).toBe(resolved);
    expect(raw).not.toMatch(/raw|projection/i);
  });

  it('cannot be selected by clients: neither the fields nor the argument are in the schema', () => {
    const written = [
      '{ products { rawNodes } }',
      '{ products(projection: [{ name: "a", member: "id" }]) { nodes { id } } }',
    ];
    for (const source of written) expect(validate(graph.schema, parse(source))).toHaveLength(1);
  });
});

describe('variants within their products', () => {
  let shop: string;
  let caller: Principal;
  const product = async (values: object, variants: readonly object[]): Promise<string> => {
    const id = await seedProduct(testDatabase.sql, shop, values);
    for (const variant of variants) await seedVariant(testDatabase.sql, shop, id, variant);
    return id;
  };
  const options = [
    { value: hardText, more: [1, null], name: 'Größe' },
    { name: 'Colour', value: '' },
  ];
  beforeAll(async () => {
    const { sql } = testDatabase;
    shop = await seedShop(sql);
    caller = { ...principal, shop: { id: shop } } as Principal;
    await product({ title: hardText }, []);
    await product({}, [{ title: hardText, options, position: 2, price: '0.50', weight: '1.250' }, { position: 1 }]);
    await product({}, [{ position: null, price: null, sku: null }, { position: 3, options: [] }, { position: null }]);
    await product(
      {},
      [...Array(7).keys()].map((position) => ({ position, inventory_quantity: '-9007199254740' })),
    );
    await product({ deleted_at: '2026-02-02' }, [{ title: 'of a deleted product' }]);
    const other = await seedProduct(sql, principal.shop.id);
    await seedVariant(sql, principal.shop.id, other, { title: 'of another shop' });
  });

  const variantColumns = Object.keys(shopTables.variants.columns)
    .filter((member) => member !== 'productId')
    .map((member) => (member === 'options' ? 'options { name value }' : member));
  const fields = (columns: readonly string[]) =>
    fc
      .uniqueArray(
        fc.tuple(
          fc.option(fc.stringMatching(/^[_A-Za-z][_0-9A-Za-z]{0,9}$/), { nil: undefined }),
          fc.constantFrom('__typename', ...columns),
        ),
        {
          ...{ minLength: 1, maxLength: 6, selector: ([alias, column]) => alias ?? column.split(' ')[0] },
        },
      )
      .map((chosen) => chosen.map(([alias, column]) => (alias === undefined ? column : `${alias}: ${column}`)));
  const variantFields = fields(variantColumns).map((chosen) => chosen.join(' '));
  const lists = fc.oneof(
    variantFields.map((chosen) => `variants { ${chosen} }`),
    fc
      .tuple(
        variantFields,
        fc.constantFrom('', '(first: 0)', '(first: 2)', '(first: $size)', '(first: 200)'),
        fc.subarray(['__typename', 'totalCount', 'n: totalCount']),
      )
      .map(([chosen, size, more]) => `variantConnection${size} { ${more.join(' ')} nodes { ${chosen} } }`),
  );

  it('are byte for byte what resolvers return, whatever is selected', async () => {
    const page = fc.tuple(
      fields(columnsOfRows('products')),
      fc.array(lists, { minLength: 1, maxLength: 2 }),
      fc.boolean(),
    );
    await fc.assert(
      fc.asyncProperty(
        page,
        fc.integer({ min: 0, max: 200 }),
        fc.boolean(),
        async ([own, nested, isFirst], size, reverse) => {
          const renamed = nested.map((list, index) => `list${index}: ${list}`);
          const selected = isFirst ? [...renamed, ...own] : [...own, ...renamed];
          const source = `query ($size: Int) { products(first: 3, reverse: ${reverse}) {
          nodes { ${selected.join(' ')} } pageInfo { startCursor endCursor hasNextPage } } again: products(first: $size) { nodes { id } } }`;
          const { raw, resolved, isRewritten } = await answers(source, { size }, caller);
          expect({ text: raw, isRewritten }).toEqual({ text: resolved, isRewritten: true });
          expect(resolved).not.toContain('errors');
        },
      ),
      { numRuns: 60 },
    );
  });

  it('are read separately if they are too many or too large to be written with the page', async () => {
    const source = `{ products(reverse: true, first: 2) { nodes { id variants { title } few: variantConnection(first: 2) { nodes { title } } }
      pageInfo { endCursor hasNextPage } } }`;
    for (const variants of [
      [...Array(251).keys()].map((position) => ({ position })),
      [{ title: 'long '.repeat(1_900), options: [{ name: 'n'.repeat(30_000), value: '' }] }],
    ]) {
      await product({}, variants);
      for (const text of [source, source.replaceAll('{ title }', '{ title options { name value } }')]) {
        const { raw, resolved, isRewritten } = await answers(text, {}, caller);
        expect({ text: raw, isRewritten }).toEqual({ text: resolved, isRewritten: true });
        expect(resolved).not.toContain('errors');
      }
    }
  });

  it('are byte for byte what resolvers return, whatever pages hold that is more than columns', async () => {
    const common = [
      ...['nodes { id }', 'items: nodes { __typename a: id external_id: externalId }', 'nodes { k: id k: id }'],
      ...['nodes { ... { id } }', 'nodes { id @include(if: false) externalId }', 'nodes @include(if: false) { id }'],
      ...['pageInfo { startCursor endCursor hasNextPage }', 'edges { cursor node { id } }', 'totalCount', '__typename'],
    ];
    const own: Readonly<Record<string, readonly string[]>> = {
      products: [
        ...['variants { title options { name value } }', 'variants @include(if: true) { id }'],
        ...['variants { product { id } }', 'images { url altText position }', everyColumn],
        ...['(first: $size)', '(first: 0)', '(last: 2)'].map(
          (size, n) => `c${n}: variantConnection${size} { nodes { id } }`,
        ),
        ...['pageInfo { endCursor }', 'edges { node { id } }'].map(
          (more) => `variantConnection { nodes { id } ${more} }`,
        ),
      ],
      orders: [everyOrderColumn, 'b: customerName a: externalId tags'],
      collections: ['id title descriptionHtml'],
      variants: ['id product { id }', 'id options { name value }'],
    };
    const page = fc.constantFrom(...Object.keys(own)).chain((list) =>
      fc
        .tuple(
          fc.constantFrom('', '(first: 2)', '(last: 2)', '(first: 0)', '(sortKey: UPDATED_AT, reverse: true)'),
          fc.constantFrom('', '', '@include(if: true)', '@skip(if: true)'),
          fc.subarray([...common, ...(own[list] ?? []).map((columns) => `nodes { ${columns} }`)], {
            minLength: 1,
            maxLength: 3,
          }),
        )
        .map(([given, condition, selected]) => `${list}${given} ${condition} { ${selected.join(' ')} }`),
    );
    const pages = fc.array(page, { minLength: 1, maxLength: 3 });
    const size = fc.constantFrom(2, 2, 2, 201, null, '2', undefined);
    await fc.assert(
      fc.asyncProperty(pages, size, fc.boolean(), fc.boolean(), async (selected, size, isOfShop, isOther) => {
        const text = selected.map((each, index) => `p${index}: ${each}`).join(' ');
        const source = `query ($size: Int) { sized: products(first: $size) { nodes { id } } ${isOfShop ? `shop { ${text} }` : text} }`;
        const { raw, resolved } = await answers(source, { size }, isOther ? principal : caller);
        expect(raw).toBe(resolved);
      }),
      { numRuns: 150 },
    );
  });

  it('are read with the page, by one statement that writes no JSON of columns', async () => {
    const statements: string[] = [];
    const { database } = testDatabase;
    const noting = createGraph({
      database: {
        ...database,
        readRows: (statement, ...more) => (statements.push(statement.text), database.readRows(statement, ...more)),
      },
      cursorSecrets: ['a secret of the tests'],
      build: 'test',
    });
    const source =
      '{ products(first: 2) { nodes { id createdAt descriptionHtml variants { id } variantConnection(first: 1) { nodes { price } } } } }';
    await noting.execute(noting.toOperation(source, parse(source)), caller, {});
    expect(statements).toHaveLength(1);
    expect(statements[0]).not.toMatch(/to_json|to_char/);

    // A product that is far larger than the others of a long page.
    const large = await seedShop(testDatabase.sql);
    const owner = await seedProduct(testDatabase.sql, large);
    for (let position = 0; position < 100; position += 1)
      await seedVariant(testDatabase.sql, large, owner, { position });
    const page = '{ products(first: 200) { nodes { variants { id } } } }';
    await noting.execute(noting.toOperation(page, parse(page)), { ...caller, shop: { id: large } } as Principal, {});
    expect(statements).toHaveLength(2);
  });

  it('do not count as a response of which they are not a part', async () => {
    const shop = await seedShop(testDatabase.sql);
    const owner = await seedProduct(testDatabase.sql, shop);
    const options = [{ name: 'n'.repeat(15_000), value: '' }];
    for (let position = 0; position < 250; position += 1)
      await seedVariant(testDatabase.sql, shop, owner, { position, options });
    const pages = ['a', 'b', 'c'].map((name) => `${name}: products(first: 1) { nodes { variants { id } } }`);
    const own = { ...caller, shop: { id: shop } } as Principal;
    const { raw, resolved } = await answers(`{ ${pages.join(' ')} }`, {}, own);
    expect(raw).toBe(resolved);
    expect(resolved).not.toContain('errors');
  });

  it('need their scope', async () => {
    const { raw, resolved } = await answers(
      '{ products { nodes { variants { id } } } }',
      {},
      { ...caller, scopes: ['orders:read'] },
    );
    expect(raw).toBe(resolved);
    expect(resolved).toContain('catalog:read');
  });
});

describe('what the REST API shows (docs/decisions.md 1)', () => {
  let product: string;
  let noting: LocalGraph;
  const sent: string[] = [];
  beforeAll(async () => {
    const { sql, database } = testDatabase;
    const readRows: typeof database.readRows = (statement, ...more) => {
      sent.push(statement.text);
      return database.readRows(statement, ...more);
    };
    noting = createGraph({
      database: { ...database, readRows },
      cursorSecrets: ['a secret of the tests'],
      build: 'test',
    });
    const shop = principal.shop.id;
    product = await seedProduct(sql, shop, {
      ...{ title: hardText, handle: null, description_html: `${hardText} `.repeat(200), published_at: '2026-02-28Z' },
      ...{ tags: [hardText], seo_title: '', seo_description: hardText, image_url: 'https://images.example/1.jpg' },
    });
    await seedVariant(sql, shop, product, {
      ...{ title: hardText, price: '0.50', compare_at_price: '-1', cost_price: '00.10', weight: '1.250', position: 2 },
      ...{ inventory_quantity: '-9007199254740991', options: [{ value: hardText, more: [1, null], name: 'Größe' }] },
    });
    await seedVariant(sql, shop, product, { position: 1, options: [] });
    await seedVariant(sql, shop, product, { position: null });
  });

  const operations = [
    ['listProducts', () => ({ first: 200 })],
    ['listCollections', () => ({ first: 200 })],
    ['getProduct', () => ({ id: product.toUpperCase() })],
  ] as const;

  /**
   * What resolvers produce from columns alone. Otherwise they would read a product with its variants as stored, and
   * compare that with itself. Selections in a fragment are not recognized there.
   */
  async function answerFromColumns(operationId: string, variables: Record<string, unknown>): Promise<string> {
    const document = readOperationDocument(operationId)
      .replace('product(id: $id) {', 'product(id: $id) { ... on Product {')
      .replace(/(\.\.\. on [^]*)\}\s*$/, '$1} }');
    sent.length = 0;
    const { resolved, isRewritten } = await answers(document, variables, principal, noting);
    // That of a page is raw as well.
    if (!isRewritten) expect(sent.join()).not.toContain('rest_json');
    return resolved;
  }

  it.each(operations)('is byte for byte what resolvers return: %s', async (operationId, variables) => {
    const { raw, resolved, isRewritten } = await answers(readOperationDocument(operationId), variables());
    expect({ text: raw, isRewritten }).toEqual({ text: resolved, isRewritten: true });
    expect(raw).toBe(await answerFromColumns(operationId, variables()));
    expect(resolved).not.toContain('errors');
    expect(resolved).toContain(JSON.stringify(hardText));
  });

  it.each([
    ['products', 'title', 'changed'],
    ['products', 'published_at', null],
    ['products', 'tags', '{}'],
    ['variants', 'price', '7.5'],
    ['collections', 'published', false],
    ['collections', 'created_at', null],
  ])('follows any writer of %s.%s', async (table, column, value) => {
    const { sql } = testDatabase;
    await sql(`UPDATE ${table} SET ${column} = $2 WHERE shop_id = $1`, [principal.shop.id, value]);
    for (const [operationId, variables] of operations) {
      const { raw, resolved } = await answers(readOperationDocument(operationId), variables());
      expect(raw).toBe(resolved);
      expect(raw).toBe(await answerFromColumns(operationId, variables()));
    }
  });

  it.each(operations)('is stored: %s reads no column of what it shows', async (operationId, variables) => {
    sent.length = 0;
    await noting.execute(noting.prepare(readOperationDocument(operationId), Object).operation, principal, variables());
    expect(sent).toHaveLength(1);
    expect(sent[0]).toContain('rest_json');
    expect(sent[0]).not.toMatch(/\.(title|sku)\b/);
  });

  it.each([
    ['a product that does not exist', 'getProduct', { id: '00000000-0000-4000-8000-000000000000' }],
    ['a product with an invalid id', 'getProduct', { id: 'mug' }],
  ])('is null for %s', async (_, operationId, variables) => {
    const { raw, resolved } = await answers(readOperationDocument(operationId), variables);
    expect({ raw, resolved }).toEqual({ raw: '{"data":{"product":null}}', resolved: raw });
  });

  it.each([
    ['less', (document: string) => document.replace('handle', '')],
    ['another name', (document: string) => document.replace('handle', 'slug: handle')],
    ['another order', (document: string) => document.replace(/title\s+handle/, 'handle title')],
    ['another name of the variants', (document: string) => document.replace('variants {', 'versions: variants {')],
    ['a condition', (document: string) => document.replace('variants {', 'variants @skip(if: false) {')],
    ['a part of an option', (document: string) => document.replace(/name\s+value/, 'value')],
    ['less of the variants', (document: string) => document.replace('sku', '')],
  ])('is the only product that is raw: %s', async (_, change) => {
    const document = change(readOperationDocument('getProduct'));
    const { raw, resolved, isRewritten } = await answers(document, { id: product });
    expect({ text: raw, isRewritten }).toEqual({ text: resolved, isRewritten: false });
    expect(resolved).not.toContain('errors');
  });

  it('is subject to the guard of the field', async () => {
    const { raw, resolved, isRewritten } = await answers(
      readOperationDocument('getProduct'),
      { id: product },
      { ...principal, scopes: ['orders:read'] },
    );
    expect({ text: raw, isRewritten }).toEqual({ text: resolved, isRewritten: true });
    expect(resolved).toContain('catalog:read');
  });
});

describe('raw JSON', () => {
  it('survives a text that resembles its own placeholder', () => {
    const value = {
      a: new RawJson('[1]'),
      b: ['"', new RawJson('{"x":"\\"y"}'), null],
      c: new RawJson('2'),
    };
    expect(stringify(value)).toBe('{"a":[1],"b":["\\"",{"x":"\\"y"},null],"c":2}');
    expect(JSON.stringify(value)).toBe(stringify(value));
  });
});
