import { readFileSync } from 'node:fs';
import { createTestDatabase, type TestDatabase } from '../support/test-database';
import { fc } from '../support/properties';

/** The JSON of a variant used to be written in another way: the two must agree, because stored texts were not rewritten. */

let db: TestDatabase;

beforeAll(async () => {
  db = await createTestDatabase();
  const script = readFileSync('prisma/migrations/20261122020000_shop_first/migration.sql', 'utf8');
  const [before] = /CREATE OR REPLACE FUNCTION public\.catalog_rest_variant\([\s\S]*?\n\$\$;/.exec(script) ?? [];
  await db.sql((before as string).replace('public.catalog_rest_variant(', 'public.rest_variant_before('));
});
afterAll(() => db.drop());

const text = fc.oneof(
  fc.string({ unit: 'binary' }).filter((value) => !value.includes('\0')),
  fc.constantFrom('', ' ', '"', '\\', '\n\t\r\b\f', '\u0001', '\u2028', 'é', '😀', '</script>', 'null'),
);
const option = fc.oneof(
  { weight: 6, arbitrary: fc.record({ name: text, value: text }) },
  fc.record({ value: text, name: text, more: text }),
  fc.record({ name: text }),
  fc.record({ name: fc.constant(null), value: fc.integer() }),
  fc.constantFrom<unknown>({}, [], null, 'text', 7, [{ name: 'a', value: 'b' }], { name: { name: 'x' }, value: [1, 'y'] }),
); // prettier-ignore
const variant = fc.record({
  title: fc.option(text),
  sku: fc.option(text),
  price: fc.option(fc.constantFrom('0', '-1.50', '19.90', '123456789012345678901234567890.00')),
  inventory_quantity: fc.option(fc.maxSafeInteger()),
  position: fc.option(fc.integer({ min: 0, max: 2_147_483_647 })),
  options: fc.array(option, { maxLength: 5 }),
  created_at: fc.constantFrom('2026-01-31T12:00:00.000Z', '0001-01-01T00:00:00.000Z', '9999-12-31T23:59:59.999Z'),
});

const argumentsOf = `gen, title, title, sku, sku, price, NULL, price, inventory_quantity, price, sku, "position", title, options, created_at, created_at`;

it('writes the same text as before, for any options', async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(variant, { minLength: 50, maxLength: 200 }), async (variants) => {
      const different = await db.sql(
        `SELECT now, before FROM (
           SELECT catalog_rest_variant(${argumentsOf}) AS now, rest_variant_before(${argumentsOf}) AS before
             FROM json_to_recordset($1::json) AS g (title text, sku text, price text, inventory_quantity bigint, position integer,
                  options jsonb, created_at timestamptz), gen_random_uuid() AS gen) AS t
          WHERE now IS DISTINCT FROM before`,
        [JSON.stringify(variants)],
      );
      expect(different).toEqual([]);
    }),
    { numRuns: 20 },
  );
});
