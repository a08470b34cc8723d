import { importedColumnsOf } from '../../src/catalog/model';
import { useImportHarness } from './import-harness';
import { csv } from './make-files';
import { fc } from '../support/properties';

const harness = useImportHarness();

type Row = Readonly<Record<string, string>>;

/** A table with a platform's columns; missing values are blank. */
const table = (header: readonly string[], rows: readonly Row[]): string =>
  csv([header, ...rows.map((row) => header.map((name) => row[name] ?? ''))], ',', '\r\n');

describe('a column that a map names', () => {
  const products = `
      product: { external_id: Style, title: [Name, Title], vendor: { column: Brand, when: { column: Listed, filled: true } }, created_at: Placed }
      variant: { sku: Article, price: { column: Price, sale: Reduced, sale_when: { column: Offer, is: [yes] } }, weight: Weight, options: { names: 'Option {n}', values: 'Choice {n}' } }
      rows: { same: Style, skip_when: { column: Deleted, filled: true } }`;
  const orders = `
      order: { external_id: Number, customer_name: { join: [Given name, Family name] }, total_price: Total, created_at: Placed }`;
  const cells: readonly Row[] = [
    { Style: 'A', Name: 'Cup', Brand: 'Kiln', Listed: 'x', Placed: '2026-01-31T12:00:00Z', Article: 'A1', Price: '5', Reduced: '4', Offer: 'yes', Weight: '1', 'Option 1': 'Size', 'Choice 1': 'S', Deleted: '' },
    { Number: '1', 'Given name': 'Ann', 'Family name': 'Berg', Total: '5', Placed: '2026-01-31T12:00:00Z' },
  ];
  const named = [products, orders].flatMap((map, at) => Object.keys(cells[at] ?? {}).map((column) => ({ map, row: cells[at] ?? {}, column })));
  /** Typing mistakes, each of which results in another name. */
  const slips = fc.nat(3).chain((kind) =>
    fc.nat().map((seed) => (name: string): string => {
      const at = seed % (name.length - 1);
      const [before, [letter = '', next = ''], after] = [name.slice(0, at), [...name.slice(at, at + 2)], name.slice(at + 2)];
      return before + [next, `${letter}q${next}`, letter === next ? letter : next + letter, `${letter}q`][kind] + after;
    }),
  );

  it('is reported if the file misspells it: the file is refused, with the name that was meant', async () => {
    const shop = await harness.createShop();
    for (const { map, row } of named) expect(await shop.import(table(Object.keys(row), [row]), { map: await harness.write(map, 'map.yaml') })).toBeDefined();
    const before = await shop.fingerprint();
    await fc.assert(
      fc.asyncProperty(fc.constantFrom(...named), slips, async ({ map, row, column }, slip) => {
        const wrong = slip(column);
        const misspelled = Object.fromEntries(Object.entries(row).map(([name, cell]) => [name === column ? wrong : name, cell]));
        fc.pre(Object.keys(misspelled).length === Object.keys(row).length && wrong.trim() !== column);
        const refusal = await shop.refusal(table(Object.keys(misspelled), [misspelled]), { map: await harness.write(map, 'magento.yaml') });
        expect(refusal).not.toContain('Adobe');
        expect(refusal).toContain(`missing ${/^file: /.test(refusal) ? 'column: ' : ''}${column === 'Name' ? '"Name" or "Title"' : `"${column}"`}`);
        if (column.length > 3) expect(refusal).toContain(`(did you mean "${wrong.trim()}"?)`);
      }),
      { numRuns: 150 },
    );
    expect(await shop.fingerprint()).toEqual(before);
  });

  it.each([
    ['title', 'product: { external_id: Id, title: LIST }', 'Name', 'a'],
    ['a price', 'product: { external_id: Id, title: Id }\nvariant: { price: { column: LIST } }', 'Name', '5'],
    ['a sale', 'product: { external_id: Id, title: Id }\nvariant: { price: { column: Id, sale: LIST } }', 'Name', '5'],
    ['an option', 'product: { external_id: Id, title: Id }\nvariant: { options: [{ name: Size, column: LIST }] }', 'Name', 'S'],
    ['a numbered option', 'product: { external_id: Id, title: Id }\nvariant: { options: { values: LIST } }', 'Name {n}', 'S'],
    ['the rows of an object', 'product: { external_id: Id, title: Id }\nrows: { same: LIST }', 'Name', 'a'],
    ['rows to skip', 'product: { external_id: Id, title: Id }\nrows: { skip_when: { column: LIST, filled: false } }', 'Name', 'a'],
    ['an order', 'order: { external_id: Id, customer_name: { join: [LIST, Id] } }', 'Name', 'a'],
    ['a collection', 'collection: { external_id: Id, title: LIST }', 'Name', 'a'],
  ])('may have several names, of which a file needs one: %s', async (what, map, name, cell) => {
    const other = name.replace('Name', 'Title');
    const list = `['${name}', '${other}']`;
    const [first = '', second = ''] = [name, other].map((column) => column.replace('{n}', '1'));
    const shop = await harness.createShop();
    const read = async (more: string, ...columns: readonly string[]) => {
      const file = `${['Id', ...columns].join(',')}\n${['1', ...columns.map(() => cell)].join(',')}\n`;
      return shop.import(file, { map: await harness.write(`${map.replace('LIST', list)}\n${more}`, 'map.yaml') });
    };
    expect((await read('', first)).warnings.join()).not.toContain('in place of');
    const both = await read('', first, second);
    expect([both.warnings.join(), both.files[0]?.unreadColumns]).toEqual([expect.not.stringContaining('in place of'), [second]]);
    expect((await read('', second)).warnings.join()).toContain(`substitutes used for missing columns: "${second}" for "${first}"`);
    for (const optional of ['', `optional: ['${first}']`, `optional: ['${second}']`])
      await expect(read(optional, 'Nothing')).rejects.toThrow(`"${first}" or "${second}"`);
    if (/title|rows|collection/.test(what)) return;
    expect((await read(`optional: ['${first}', '${second}']`, 'Nothing')).files[0]?.missingColumns).toEqual([first]);
  });
}); // prettier-ignore

/** A value of each kind that differs from a new object's default. */
const cellOf: Readonly<Record<string, string>> = {
  externalId: 'x', text: 'Some text', indexed: 'word', status: 'DRAFT', currency: 'EUR', decimal: '1.5', tags: 'a b', flag: 'false', count: '7', quantity: '5', list: 'x',
  position: '4', timestamp: '2025-01-02T03:04:05Z',
}; // prettier-ignore

describe('what a file of a map has no column for is kept', () => {
  // Without one of these, an object has another identity, its file is refused, or the import decides the stored value.
  const always = {
    products: ['external_id', 'title', 'created_at', 'updated_at'],
    variants: ['external_id', 'title', 'position', 'created_at', 'updated_at'],
    collections: ['external_id', 'title'],
    orders: ['external_id', 'order_number', 'updated_at'],
  } as const;
  const ruleOf: Readonly<Record<string, string>> = {
    memberships: 'collections: NAME',
    line_items: 'line_items: { title: NAME }',
  };
  const mapOf = (columns: readonly { name: string }[]) =>
    columns.map(({ name }) => (ruleOf[name] ?? `${name}: NAME`).replace('NAME', name.toUpperCase())).join(', ');

  it.each(['collections', 'orders', 'products', 'variants'] as const)('of %s', async (table) => {
    const columns = importedColumnsOf(table).filter(({ kind }) => kind !== 'options');
    const isVariants = table === 'variants';
    const rules = `{ ${mapOf(columns)} }`;
    const map = await harness.write(
      `optional: true\n${isVariants ? `product: { external_id: P, title: P }\nvariant` : table.slice(0, -1)}: ${rules}`,
      'map.yaml',
    );
    const toFile = (names: readonly (typeof columns)[number][]) =>
      [
        [...(isVariants ? ['P'] : []), ...names.map(({ name }) => name.toUpperCase())],
        [...(isVariants ? ['p'] : []), ...names.map(({ name, kind }) => (name === 'weight_unit' ? 'kg' : name.endsWith('_url') ? 'https://x.example/a' : cellOf[kind]))],
      ].map((cells) => `${cells.join(',')}\n`).join(''); // prettier-ignore
    const shop = await harness.createShop();
    const stored = () => shop.values(table, ...columns.map(({ name }) => name));
    await shop.import(toFile(columns), { map });
    const before = await stored();
    expect(before[0]?.filter((value) => value === null)).toEqual([]);
    for (const lacked of columns) {
      if ((always[table] as readonly string[]).includes(lacked.name)) continue;
      await shop.import(toFile(columns.filter((column) => column !== lacked)), { map });
      expect({ without: lacked.name, stored: await stored() }).toEqual({ without: lacked.name, stored: before });
    }
  });
});

it('warns of rows of an order that are copies', async () => {
  const shop = await harness.createShop();
  const map = 'order: { external_id: No, line_items: { title: Article } }\nrows: { same: No }';
  const options = { map: await harness.write(map, 'map.yaml') };
  const warningsOf = async (rows: string) =>
    (await shop.import(`No,Article\n${rows}`, options)).files[0]?.readingWarnings;
  expect(await warningsOf('1,Mug\n1,Cup\n2,Mug\n')).toEqual([]);
  expect(await warningsOf('1,Mug\n1,Cup\n1,Mug\n')).toEqual([
    '1 row repeats an earlier row of its object, on line 4: its items are counted again; delete it if it is a copy',
  ]);
});
