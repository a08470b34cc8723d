import { maximumRowBytes } from './answer-size';
import type { Column, ListShape, ObjectTable } from './model';
import { columnsOf, optionsLimit, restColumnsOf, productStatuses, tagLimits, typenames } from './model';
import { schemaMembers } from './schema-members';

/*
 * The model as SQL: a column's definition in migrations. `npm run codegen` uses it to write the migration of a new one,
 * and test/database/model-columns.test.ts compares all of them with the migrated database.
 */

/** JSON represents integers up to this one exactly (D22). */
const maxInteger = Number.MAX_SAFE_INTEGER;

interface ColumnSql {
  readonly name: string;
  readonly type: string;
  readonly isNotNull: boolean;
  readonly defaultValue: string | undefined;
  /** Conditions by the names of their constraints. */
  readonly checks: Readonly<Record<string, string>>;
}

const typesOfDerived: Readonly<Record<string, string>> = { 'Int!': 'integer', 'Long!': 'bigint', Decimal: 'text' };

const defaults: Readonly<Record<string, string>> = {
  key: 'gen_random_uuid()',
  status: `'ACTIVE'`,
  tags: `'{}'`,
  options: `'[]'`,
  list: `'[]'`,
  count: '0',
  derived: '0',
};

const typesOfItems = {
  key: '@.type() == "string" && @ != ""',
  text: '@.type() == "string"',
  decimal: '@.type() == "string" && @ like_regex "^-?[0-9]+(\\\\.[0-9]+)?$"',
  integer: '@.type() == "number" && @ == @.floor() && @ >= -2147483648 && @ <= 2147483647',
} as const;

/**
 * Each object has exactly the members of the shape, with their types. A strict path, because a lax one would accept an
 * array in place of its elements.
 */
function toShapeCondition(name: string, of: ListShape): string {
  const members = Object.entries(of).map(([member, type]) => {
    const own = typesOfItems[type.replace('?', '') as keyof typeof typesOfItems];
    return `exists(@.${member} ? (${own}${type.endsWith('?') ? ' || @.type() == "null"' : ''}))`;
  });
  const others = Object.keys(of).map((member) => `@.key != "${member}"`);
  const isWhole = [...members, `!(exists(@.keyvalue() ? (${others.join(' && ')})))`].join(' && ');
  return `jsonb_path_query_array(${name}, 'strict $[*] ? (${isWhole})', '{}', true) = ${name}`;
}

/** Conditions by the suffix of their constraint's name. */
function conditionsOf({ name, kind, bound, of = {}, count, bytes }: Column): Readonly<Record<string, string>> {
  const length = bound === undefined ? {} : { length_check: `octet_length(${name}) <= ${bound}` };
  switch (kind) {
    case 'externalId':
      return { check: `${name} <> ''`, ...length };
    case 'status':
      return { check: `${name} IN (${productStatuses.map((status) => `'${status}'`).join(', ')})` };
    case 'currency':
      return { check: `${name} ~ '^[A-Z]{3}$'` };
    case 'decimal':
      return { check: `${name} ~ '^-?[0-9]+(\\.[0-9]+)?$'`, ...length };
    case 'timestamp':
      return { check: `${name} >= '0001-01-01Z' AND ${name} < '10000-01-01Z'` };
    case 'count':
      return { check: `${name} BETWEEN 0 AND ${maxInteger}` };
    case 'quantity':
      return { check: `${name} BETWEEN -${maxInteger} AND ${maxInteger}` };
    case 'tags':
      return {
        check: `coalesce(array_ndims(${name}), 1) = 1 AND array_position(${name}, NULL) IS NULL`,
        length_check: `cardinality(${name}) <= ${tagLimits.count} AND octet_length(array_to_string(${name}, '')) <= ${tagLimits.bytes}`,
      };
    case 'options':
      return {
        check: `jsonb_typeof(${name}) = 'array' AND NOT ${name} @? '$[*] ? (!(@.name.type() == "string" && @.value.type() == "string"))'`,
        length_check: `octet_length(${name}::text) <= ${optionsLimit}`,
      };
    case 'list':
      return {
        check: toShapeCondition(name, of),
        length_check: `NOT ${name} @? '$[${count}]' AND octet_length(${name}::text) <= ${bytes}`,
      };
    default:
      return length;
  }
}

/** The SQL of a table's columns, in the order of the schema. */
export function columnSqlOf(table: ObjectTable): readonly ColumnSql[] {
  const types: Readonly<Record<string, string>> = schemaMembers[typenames[table]];
  return columnsOf(table).map((column) => {
    const { name, member, kind, isRequired, sql } = column;
    return {
      name,
      type: sql ?? typesOfDerived[types[member] ?? ''] ?? 'text',
      isNotNull: isRequired,
      defaultValue: isRequired ? defaults[kind] : undefined,
      checks: Object.fromEntries(
        Object.entries(conditionsOf(column)).map(([end, condition]) => [`${table}_${name}_${end}`, condition]),
      ),
    };
  });
}

/** A column as CREATE TABLE and ALTER TABLE … ADD COLUMN write it. */
export const toDefinition = ({ name, type, isNotNull, defaultValue }: ColumnSql): string =>
  [
    name,
    type,
    ...(isNotNull ? ['NOT NULL'] : []),
    ...(defaultValue === undefined ? [] : [`DEFAULT ${defaultValue}`]),
  ].join(' ');

/** The stored JSON of these tables has all their columns (docs/decisions.md 1); orders are shown row by row. */
export const storedNouns = { products: 'product', variants: 'variant', collections: 'collection' } as const;
type StoredTable = keyof typeof storedNouns;

const isStored = (table: ObjectTable): table is StoredTable => table in storedNouns;

/** Quotes an SQL keyword that cannot be an argument's name. */
const quoted = (name: string): string => (name === 'position' ? '"position"' : name);

/** Two members of each option, whatever others writers give it. */
const optionsLoop = (name: string) => `  -- Anything else is rejected by a constraint, which is checked later.
  IF pg_catalog.jsonb_typeof(${name}) OPERATOR(pg_catalog.=) 'array' THEN
    -- Writers may give an option more members than the two that responses have.
    WHILE i OPERATOR(pg_catalog.<) pg_catalog.jsonb_array_length(${name}) LOOP
      item := ${name} OPERATOR(pg_catalog.->) i;
      shown := pg_catalog.concat(
        shown, CASE WHEN i OPERATOR(pg_catalog.>) 0 THEN ',' END,
        '{"name":', coalesce(pg_catalog.to_json(item OPERATOR(pg_catalog.->>) 'name')::pg_catalog.text, 'null'),
        ',"value":', coalesce(pg_catalog.to_json(item OPERATOR(pg_catalog.->>) 'value')::pg_catalog.text, 'null'), '}');
      i := i OPERATOR(pg_catalog.+) 1;
    END LOOP;
  END IF;
`;

/** The type whose values become a row's JSON, and the function that builds it. @param table one that stores JSON */
export function toStoredJsonSql(table: StoredTable): string {
  const shown = restColumnsOf(table).map(({ name }) => name);
  const columns = columnSqlOf(table)
    .filter(({ name }) => shown.includes(name))
    .map((column) => ({ ...column, name: quoted(column.name) }));
  const noun = storedNouns[table];
  const form = columns.map(
    ({ name, type }) => `${name} ${type === 'timestamptz(3)' ? 'text' : type.replace('jsonb', 'json')}`,
  );
  const parameters = columns.map(({ name, type }) => `${name} ${type.replace('(3)', '')}`);
  const options = columns.find(({ type }) => type === 'jsonb')?.name;
  const values = columns.map(({ name, type }) => {
    if (type === 'timestamptz(3)')
      return `pg_catalog.to_char(${name} AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"')`;
    return type === 'jsonb' ? `pg_catalog.concat('[', shown, ']')::pg_catalog.json` : name;
  });
  const declarations = `DECLARE
  shown pg_catalog.text := '';
  item pg_catalog.jsonb;
  i pg_catalog.int4 := 0;
`;
  return `CREATE TYPE public.catalog_rest_${noun}_form AS (
  ${form.join(', ')});

CREATE FUNCTION public.catalog_rest_${noun}(
  ${parameters.join(', ')}) RETURNS text
LANGUAGE plpgsql IMMUTABLE PARALLEL SAFE AS $$
${options === undefined ? '' : declarations}BEGIN
${options === undefined ? '' : optionsLoop(options)}  RETURN pg_catalog.row_to_json(ROW(
    ${values.join(',\n    ')})::public.catalog_rest_${noun}_form);
END
$$;
`;
}

/** An upper bound on the bytes of a row in exports. A byte of text becomes at most six. */
const toRowLength = (table: ObjectTable): string =>
  [
    'octet_length(rest_json)',
    ...columnsOf(table).flatMap(({ name, kind, isBeyondRest }) =>
      isBeyondRest ? [kind === 'list' ? `octet_length(${name}::text)` : `6 * coalesce(octet_length(${name}), 0)`] : [],
    ),
  ].join(' + ');

/**
 * The migration that adds these columns of the model to a table. Rewrites rows whose JSON is stored.
 * @throws Error for a column that existing rows could not have
 */
export function toMigration(table: ObjectTable, names: readonly string[]): string {
  const columns = columnSqlOf(table).filter(({ name }) => names.includes(name));
  const impossible = columns.find(({ isNotNull, defaultValue }) => isNotNull && defaultValue === undefined);
  if (impossible !== undefined)
    throw new Error(
      `${table}.${impossible.name} is required in schema.graphql, and existing rows have no value for it: make it nullable`,
    );
  const changes = columns.flatMap((column) => [
    `ADD COLUMN ${toDefinition(column)}`,
    ...Object.entries(column.checks).map(([name, condition]) => `ADD CONSTRAINT ${name} CHECK (${condition})`),
  ]);
  const shown = restColumnsOf(table).map(({ name }) => name);
  if (!isStored(table) || names.every((name) => !shown.includes(name)))
    return `ALTER TABLE ${table}\n  ${changes.join(',\n  ')};\n`;
  const noun = storedNouns[table];
  changes.push(
    `ADD COLUMN rest_json text NOT NULL GENERATED ALWAYS AS (catalog_rest_${noun}(\n    ${shown.join(', ')})) STORED`,
    ...(table === 'variants'
      ? []
      : [`ADD CONSTRAINT ${table}_row_length_check CHECK (${toRowLength(table)} <= ${maximumRowBytes})`]),
  );
  return `-- The members of rest_json are in the order of the schema, so it is made anew, and rows are rewritten.
ALTER TABLE ${table} DROP COLUMN rest_json;
DROP FUNCTION public.catalog_rest_${noun};
DROP TYPE public.catalog_rest_${noun}_form;

${toStoredJsonSql(table)}
ALTER TABLE ${table}
  ${changes.join(',\n  ')};
`;
}
