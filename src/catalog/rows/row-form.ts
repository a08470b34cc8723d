import type { Sql } from '../../database/sql';
import { fence, rawSql, sql } from '../../database/sql';
import { optionsLimit, typenames } from '../model';
import { toSqlLiteral } from './page-statement';
import type { Projection, ShopTable, ShopTableName } from './shop-tables';
import {
  isNested,
  isRestForm,
  nestedTypename,
  restForms,
  shopTables,
  toJsonObject,
  toKeys,
  variantsMember,
} from './shop-tables';

/** How the rows of a table are read for a projection. */
interface RowForm {
  /** The JSON texts of each row, in SQL; null when its variants are too many or too large to be written within it. */
  readonly outputs: readonly Sql[];
  /** The row as the object in the response, from these texts. */
  toJson(texts: readonly string[]): string;
}

/**
 * Variants, and rows whose longest columns are selected, are read as stored for REST, and the selected values copied
 * from that text: formatting each of them takes PostgreSQL more than twice as long (docs/decisions.md 30).
 */
export function toRowForm(table: ShopTableName, projection: Projection, shop: Sql): RowForm {
  const { restJson }: ShopTable = shopTables[table];
  const members = new Set(['id', ...membersOf(projection)]);
  const rest = restForms[table];
  const isStored =
    restJson !== undefined &&
    rest.filter(({ member }) => members.has(member)).length === members.size &&
    rest.every(({ member, bound = 0 }) => bound <= optionsLimit || members.has(member));
  const isAsRead = isStored ? isRestForm(table, projection) : !isNested(projection);
  const form = isAsRead ? projection : isStored ? rest : [...members].map((member) => ({ name: member, member }));
  const row = isStored ? rawSql(restJson) : toJsonObject(table, form);
  if (isAsRead) return { outputs: [row], toJson: ([json = '']) => json };

  const lists: Sql[] = [];
  const toWriter = (selected: Projection, typename: string): Writer => {
    const keys = toKeys(selected);
    const writers = selected.map(({ member, below, first }): Writer => {
      if (member === '__typename') return () => `"${typename}"`;
      if (below === undefined) {
        const place = form.findIndex((column) => column.member === member);
        return (values) => values[place] as string;
      }
      if (member !== variantsMember) return toWriter(below, nestedTypename);
      const variant = toRowForm('variants', below, shop);
      const list = lists.push(toVariantTexts(shop, variant, first)) - 1;
      return (_, texts) =>
        `[${splitRows(texts[list])
          .map((json) => variant.toJson([json]))
          .join()}]`;
    });
    return (values, texts) => `${writers.map((write, index) => `${keys[index]}${write(values, texts)}`).join('')}}`;
  };
  const write = toWriter(projection, typenames[table]);
  const keys = toKeys(form);
  return { outputs: [row, ...lists], toJson: ([json = '', ...texts]) => write(splitValues(json, keys), texts) };
}

/** @param values Of the row. @param texts Of its lists. */
type Writer = (values: readonly string[], texts: readonly string[]) => string;

/** The columns that a projection needs. */
const membersOf = (projection: Projection): readonly string[] =>
  projection.flatMap(({ member, below }) =>
    member === variantsMember || member === '__typename' ? [] : below ? membersOf(below) : [member],
  );

/** Separates rows in one text. JSON text never contains it, because it escapes control characters. */
const rowSeparator = '\x1e';

const splitRows = (text = ''): readonly string[] => (text === '' ? [] : text.split(rowSeparator));

/**
 * The maximum number of variants that are written within their product, and of bytes of each; others are read
 * separately.
 */
const mostNested = { rows: 250, bytes: 16 * 1024 };

/** The variants of the product `item` in their order (D9). */
function toVariantTexts(shop: Sql, { outputs: [text] }: RowForm, first = mostNested.rows + 1): Sql {
  return sql`(
    SELECT CASE WHEN count(*) <= ${mostNested.rows}::integer AND count(*) = count(json)
                THEN coalesce(string_agg(json, ${toSqlLiteral(rowSeparator)}), '') END
      FROM (SELECT item.id ${fence}) AS parent
     CROSS JOIN LATERAL (
           SELECT CASE WHEN octet_length(${text}) <= ${mostNested.bytes}::integer THEN ${text} END AS json
             FROM variants AS item
            WHERE item.shop_id = ${shop} AND item.product_id = parent.id
            ORDER BY item.position, item.id LIMIT ${first}::integer) AS variant)`;
}

/**
 * The values of a JSON object that PostgreSQL has written without blanks, as they are written there. They end at the
 * next key: within a text its quotes would be escaped, and no object in a value has a member of that name.
 * @param keys All keys, as they are written there.
 */
function splitValues(json: string, keys: readonly string[]): readonly string[] {
  let end = 0;
  return keys.map((key, index) => {
    const start = end + key.length;
    const next = keys[index + 1];
    end = next === undefined ? -1 : json.indexOf(next, start);
    return json.slice(start, end);
  });
}
