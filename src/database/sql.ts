/** A value of a statement: one parameter, however often a part with it is used. */
class Parameter {
  constructor(readonly value: unknown) {}
}

type Part = string | Parameter | Sql;

/**
 * A statement, or a part of one, with its parameters. Statements run through `Database.readRows`; models run through
 * `Database.prisma`.
 */
export class Sql {
  #query: { readonly text: string; readonly values: unknown[] } | undefined;

  constructor(readonly parts: readonly Part[]) {}

  /** As PostgreSQL gets it, with `$1` for the first of the values. */
  get text(): string {
    return this.#toQuery().text;
  }

  get values(): unknown[] {
    return this.#toQuery().values;
  }

  #toQuery() {
    if (this.#query !== undefined) return this.#query;
    const numbers = new Map<Parameter, number>();
    let text = '';
    const add = (part: Part): void => {
      if (typeof part === 'string') text += part;
      else if (part instanceof Sql) part.parts.forEach(add);
      else {
        if (!numbers.has(part)) numbers.set(part, numbers.size + 1);
        text += `$${numbers.get(part)}`;
      }
    };
    add(this);
    return (this.#query = { text, values: [...numbers.keys()].map(({ value }) => value) });
  }
}

/** A statement, or a part of one: interpolated parts become part of it, other values its parameters. */
export function sql(strings: readonly string[], ...interpolated: readonly unknown[]): Sql {
  const parts: Part[] = [];
  strings.forEach((text, index) => {
    parts.push(text);
    if (index === interpolated.length) return;
    const value = interpolated[index];
    parts.push(value instanceof Sql ? value : new Parameter(value));
  });
  return new Sql(parts);
}

/** Verbatim SQL: never for text from outside. */
export const rawSql = (text: string): Sql => new Sql([text]);
export const emptySql = rawSql('');
export const joinSql = (items: readonly Sql[], separator = ', '): Sql =>
  new Sql(items.flatMap((item, index) => (index === 0 ? [item] : [separator, item])));

/*
 * How a statement tells the planner what its estimates do not. `EXPLAIN` shows the plans that these lead to.
 */

/** At the end of a subquery: the planner plans it on its own, and keeps its order. */
export const fence = rawSql('OFFSET 0 /* optimization fence */');

/**
 * Part of each lookup by id: always true, and on a column that no index has. Without it, an answer of only ids and
 * dates can be read from any index that contains both, which starts with the shop and is then read from there to its
 * end: for a shop of usual size the planner estimates that as cheap. The planner estimates this condition as rarely
 * true, which suits a lookup of one row.
 */
export const noIndexOnlyScan = (alias: string): Sql => rawSql(`${alias}.tableoid <> 0 /* no index-only scan */`);
