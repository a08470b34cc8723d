import { randomUUID } from 'node:crypto';
import { seedCollection, seedProduct, seedShop } from '../support/seed';
import { useTestDatabase } from '../support/test-database';
import { fc } from '../support/properties';

/**
 * The JSON of a variant is written without a query, which halves the time (docs/decisions.md 86). Both ways must write
 * the same text.
 */

const db = useTestDatabase();
beforeAll(async () => {
  await db.sql(`
    CREATE FUNCTION rest_variant_by_query(
      id uuid, external_id text, title text, sku text, barcode text, price text, compare_at_price text, cost_price text,
      inventory_quantity bigint, weight text, weight_unit text, "position" integer, image_url text, options jsonb,
      created_at timestamptz, updated_at timestamptz) RETURNS text LANGUAGE sql RETURN (
        SELECT row_to_json(shown)::text FROM (
          SELECT id, external_id, title, sku, barcode, price, compare_at_price, cost_price, inventory_quantity, weight, weight_unit,
                 "position", image_url,
                 coalesce((SELECT array_to_json(array_agg(o)) FROM (
                   SELECT e ->> 'name' AS name, e ->> 'value' AS value FROM jsonb_path_query(options, '$[*]') AS e) AS o), '[]') AS options,
                 to_char(created_at AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"') AS created_at,
                 to_char(updated_at AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"') AS updated_at) AS shown)`);
});

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

it('writes the same text as a query, for any options', async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(variant, { minLength: 50, maxLength: 200 }), async (variants) => {
      const different = await db.sql(
        `SELECT now, expected FROM (
           SELECT catalog_rest_variant(${argumentsOf}) AS now, rest_variant_by_query(${argumentsOf}) AS expected
             FROM json_to_recordset($1::json) AS g (title text, sku text, price text, inventory_quantity bigint, position integer,
                  options jsonb, created_at timestamptz), gen_random_uuid() AS gen) AS t
          WHERE now IS DISTINCT FROM expected`,
        [JSON.stringify(variants)],
      );
      expect(different).toEqual([]);
    }),
    { numRuns: 20 },
  );
});

it('stays in the row, also with a long description of a product or collection', async () => {
  const shopId = await seedShop(db.sql);
  const description_html = Array.from({ length: 200 }, () => randomUUID().slice(0, 14)).join(' ');
  await seedProduct(db.sql, shopId, { description_html });
  await seedCollection(db.sql, shopId, { description_html });
  const elsewhere = await db.sql(
    "SELECT relname FROM pg_class WHERE relname IN ('products', 'collections') AND pg_relation_size(reltoastrelid) > 0",
  );
  expect(elsewhere).toEqual([]);
});
