import { columnSqlOf, storedNouns, toDefinition, toMigration, toStoredJsonSql } from '../../src/catalog/model-sql';
import { columnsOf } from '../../src/catalog/model';
import type { TestDatabase } from '../support/test-database';
import { createTestDatabase, useTestDatabase } from '../support/test-database';

const test = useTestDatabase();

const tables = ['products', 'variants', 'collections', 'orders'] as const;

/**
 * Types, nullability, defaults and checks of a table, as PostgreSQL writes them, by the names of columns and
 * constraints.
 */
async function describeTable({ sql }: TestDatabase, table: string): Promise<Record<string, string>> {
  const columns = await sql<{ name: string; definition: string }>(
    `SELECT attname AS name, concat_ws(' ', format_type(atttypid, atttypmod), CASE WHEN attnotnull THEN 'not null' END,
            pg_get_expr(adbin, adrelid)) AS definition
       FROM pg_attribute LEFT JOIN pg_attrdef ON adrelid = attrelid AND adnum = attnum
      WHERE attrelid = $1::regclass AND attnum > 0 AND NOT attisdropped`,
    [table],
  );
  const checks = await sql<{ name: string; definition: string }>(
    `SELECT conname AS name, pg_get_constraintdef(oid) AS definition FROM pg_constraint WHERE conrelid = $1::regclass AND contype = 'c'`,
    [table],
  );
  return Object.fromEntries([...columns, ...checks].map(({ name, definition }) => [name, definition]));
}

describe.each(tables)('%s', (table) => {
  it('has the columns and checks of the model', async () => {
    const columns = columnSqlOf(table);
    const checks = columns.flatMap(({ checks: own }) =>
      Object.entries(own).map(([name, condition]) => `CONSTRAINT ${name} CHECK (${condition})`),
    );
    await test.sql(`CREATE TABLE expected_${table} (${[...columns.map(toDefinition), ...checks].join(', ')})`);
    expect(await describeTable(test, table)).toMatchObject(await describeTable(test, `expected_${table}`));
  });
});

describe.each(Object.entries(storedNouns) as [keyof typeof storedNouns, string][])(
  'the stored JSON of %s',
  (table, noun) => {
    const describeFunction = async () => {
      const [row] = await test.sql<{ members: string; body: string }>(
        `SELECT (SELECT string_agg(attname || ' ' || format_type(atttypid, atttypmod), ', ' ORDER BY attnum)
                 FROM pg_attribute WHERE attrelid = 'catalog_rest_${noun}_form'::regclass) AS members,
              pg_get_functiondef('catalog_rest_${noun}'::regproc) AS body`,
      );
      return { ...row, body: row?.body.replaceAll(/\s+/g, ' ') };
    };

    it('is built as the model says', async () => {
      const before = await describeFunction();
      await test.sql(
        `ALTER TABLE ${table} DROP COLUMN rest_json; DROP FUNCTION catalog_rest_${noun}; DROP TYPE catalog_rest_${noun}_form`,
      );
      await test.sql(toStoredJsonSql(table));
      expect(await describeFunction()).toEqual(before);
    });
  },
);

describe('the migration of a new column', () => {
  it.each([
    ['orders', 'customer_name'],
    ['variants', 'cost_price'],
    ['collections', 'updated_at'],
    ['products', 'seo_title'],
  ] as const)('recreates %s.%s completely', async (table, column) => {
    const fresh = await createTestDatabase();
    const before = await describeTable(fresh, table);
    await fresh.sql(`ALTER TABLE ${table} DROP COLUMN ${column} CASCADE`);
    // As it was before the column existed; the migration replaces it.
    if (table !== 'orders') await fresh.sql(`ALTER TABLE ${table} ADD COLUMN rest_json text`);
    await fresh.sql(toMigration(table, [column]));
    expect(await describeTable(fresh, table)).toEqual(before);
    await fresh.drop();
  });

  it('is refused for a required column without a default', () => {
    expect(columnsOf('orders').map(({ name }) => name)).toContain('order_number');
    expect(() => toMigration('orders', ['order_number'])).toThrow('make it nullable');
  });
});
