import { importedColumnsOf, type Column, type ColumnKind, type ObjectTable } from '../../catalog/model';
import type { SourceLocation } from '../values/import-error';
import { checkCurrency, checkIndexedText } from '../values/text';
import { countBounds, positionBounds, safeBounds, type Bounds } from '../values/numbers';
import type { TableExplained } from './format';
import type { AbsentFromProducts, ProductValues, VariantValues } from './record';

/**
 * The spellings of each column, in the order in which they are tried, as the platform writes them. Files may write them
 * in other cases.
 */
export type ColumnNames<Column extends string> = Readonly<Record<Column, readonly string[]>>;

/** An object of a file, or the header of a table: what a file provides. */
export interface Provider {
  /** Whether it has this member or column, even if that is blank. */
  provides(name: string): boolean;
}

/** Throws an ImportError for an invalid text. */
export type Parse<Parsed> = (text: string, at: SourceLocation) => Parsed;

/** The values of an object or a row of a file, by name. An invalid one is null, and a problem is reported. */
export interface Values<Name extends string = string> {
  text(name: Name): string | null;
  requiredText(name: Name): string;
  /** Text, parsed. */
  parsed<Parsed>(name: Name, parse: Parse<Parsed>): Parsed | null;
  /** A required id. */
  id(name: Name): string;
  decimal(name: Name): string | null;
  wholeNumber(name: Name, bounds: Bounds): string | null;
  timestamp(name: Name, isRequired: boolean): string | null;
  tags(name: Name): readonly string[];
}

/** The kinds of column that are read in the same way from all files; options, statuses and flags are not. */
type CommonKind = Exclude<ColumnKind, 'key' | 'derived' | 'options' | 'list' | 'status' | 'flag'>;

/** How the value of a column is read from any file, by the kind of the column. */
export const readers: Readonly<Record<CommonKind, (values: Values, name: string, column: Column) => unknown>> = {
  externalId: (values, name) => values.id(name),
  text: (values, name, { isRequired }) => (isRequired ? values.requiredText(name) : values.text(name)),
  indexed: (values, name) => values.parsed(name, checkIndexedText),
  currency: (values, name) => values.parsed(name, checkCurrency),
  decimal: (values, name) => values.decimal(name),
  tags: (values, name) => values.tags(name),
  count: (values, name) => values.wholeNumber(name, countBounds) ?? '0',
  quantity: (values, name) => values.wholeNumber(name, safeBounds),
  position: (values, name) => values.wholeNumber(name, positionBounds),
  timestamp: (values, name, { isRequired }) => values.timestamp(name, isRequired),
};

/**
 * How one of our columns is made from an object or a row of a file. Determines what is read, what `--explain` says
 * about the file's members, and which columns are absent.
 */
export interface Rule<Source, Value, Around = unknown> {
  /**
   * The members, or columns of the file, that it is made from: a file with none of them does not provide the column.
   */
  readonly names: readonly string[];
  /** Whether each is read only if those before it have no value; otherwise all are. */
  readonly areAlternatives?: boolean;
  /** Description of how the value is computed, if it is not a plain copy. */
  readonly note?: string | undefined;
  /** Some files of the platform never have the members: they are not reported as missing. */
  readonly isOptional?: boolean;
  read(source: Source, column: Column, around: Around): Value;
  /** Decides whether a file provides the column, if names alone cannot; the names are then not paths. */
  isProvided?(file: Provider, around: Around): boolean;
}

/** A rule for each column that a file can provide. A nullable column without one is never provided by the platform. */
export type Rules<Source, Values, Around = unknown> = {
  readonly [Name in keyof Values as null extends Values[Name] ? never : Ruled<Name>]: Rule<
    Source,
    Values[Name],
    Around
  >;
} & {
  readonly [Name in keyof Values as null extends Values[Name] ? Ruled<Name> : never]?: Rule<
    Source,
    Values[Name],
    Around
  >;
};

type Ruled<Name> = Exclude<Name, 'id' | 'published'>;

/** The names of a table's columns; of other sources any. */
type NameIn<Source> = Source extends Values<infer Name> ? Name : string;

/** A value read by the kind of its column, from the first of several members or paths that has one. */
export const from = <Source>(...names: readonly [NameIn<Source>, ...NameIn<Source>[]]): Rule<Source, never> => ({
  names: names.map(rootOf),
  areAlternatives: true,
  read(source, column) {
    const read = readers[column.kind as CommonKind];
    let value: unknown = null;
    for (const name of names) if ((value = read(source as Values, name, column)) !== null) break;
    return value as never;
  },
});

/** A word that is stored in upper case. */
export const upperCase = <Source extends Values>(name: NameIn<Source>): Rule<Source, string | null> =>
  computed([name], (source: Source) => source.parsed(name, checkIndexedText)?.toUpperCase() ?? null);

/** A value that depends on several members, or needs conversion. */
export const computed = <Source, Value, Around = unknown>(
  names: readonly NameIn<Source>[],
  read: (source: Source, around: Around) => Value,
  note?: string,
): Rule<Source, Value, Around> => ({ names, note, read: (source, _, around) => read(source, around) });

/** The same, from the first of the members that has a value. */
export const firstOf: typeof computed = (names, read, note) => ({
  ...computed(names, read, note),
  areAlternatives: true,
});

/** A rule for members that not every file of the platform has. */
export const optional = <Source, Value, Around>(rule: Rule<Source, Value, Around>): Rule<Source, Value, Around> => ({
  ...rule,
  isOptional: true,
});

/** A column that the platform never provides, and its value for new objects. */
export const absent = <Value = null>(value: Value = null as Value): Rule<unknown, Value> => ({
  names: [],
  read: () => value,
});

/** Values that every file provides, regardless of its columns. */
export const constant = <Source, Value, Around = unknown>(
  read: (source: Source, around: Around) => Value,
): Rule<Source, Value, Around> => ({ ...computed([], read), isProvided: () => true });

interface BoundRule {
  readonly column: Column;
  readonly rule: Rule<never, unknown, never>;
}

/** The rules of one kind of object. */
export class ObjectRules<Source, Values, Around = unknown> {
  readonly rules: readonly BoundRule[];
  /** Prefix of field names in explanations. */
  readonly field: string;
  /** The rules of columns that a file may lack. */
  readonly #dispensable: readonly BoundRule[];
  /** Has the shape of all results: filling a copy of it is faster than filling an empty object. */
  readonly #blank: Readonly<Record<string, unknown>>;

  constructor(
    table: ObjectTable,
    rules: Rules<Source, Values, Around>,
    /** Prefix of member names in explanations. */
    readonly member = '',
  ) {
    this.field = table === 'variants' ? 'variants.' : '';
    this.rules = importedColumnsOf(table).map((column) => ({
      column,
      rule: (rules as Readonly<Record<string, BoundRule['rule']>>)[column.name] ?? absent(),
    }));
    this.#blank = Object.fromEntries(this.rules.map(({ column }) => [column.name, null]));
    this.#dispensable = this.rules.filter(({ column }) => !isInEvery(table, column));
  }

  read(source: Source, around: Around): Values {
    const values = { ...this.#blank };
    for (const { column, rule } of this.rules) {
      values[column.name] = rule.read(source as never, column, around as never);
    }
    return values as Values;
  }

  /** The columns that none of the objects provides; of a table, the header counts as the only one. */
  absentFrom(objects: readonly Provider[], around?: Around): readonly (keyof Values)[] {
    return this.#dispensable
      .filter(({ rule }) => !objects.some((object) => isProvided(rule, object, around)))
      .map(({ column }) => column.name as keyof Values);
  }
}

/** @param variant undefined if the file has no variants */
export const toAbsent = (
  product: Iterable<keyof ProductValues | 'positions'>,
  variant: readonly (keyof VariantValues)[] | undefined,
  more: Partial<AbsentFromProducts> = {},
): AbsentFromProducts => ({
  product: new Set(product),
  variant: new Set(variant),
  weightUnit: false,
  optionValues: 3,
  ...(variant === undefined && { variants: true }),
  ...more,
});

/** Required values, and dates that default to the time of the import (`ProductValues`). */
function isInEvery(table: ObjectTable, { kind, isRequired, name }: Column): boolean {
  if (kind === 'externalId' || (kind === 'text' && isRequired)) return true;
  return (table === 'products' || table === 'variants') && (name === 'created_at' || name === 'updated_at');
}

function isProvided(rule: BoundRule['rule'], object: Provider, around: unknown): boolean {
  if (rule.isProvided) return rule.isProvided(object, around as never);
  return rule.names.some((name) => object.provides(name));
}

/** The fields that members become, by member name; `others` are not reported when a file lacks them. */
export interface Explained {
  readonly expected: Readonly<Record<string, string>>;
  readonly others: Readonly<Record<string, string>>;
  /** The paths of members that are reported, including those of inner objects. */
  readonly needed: Iterable<string>;
}

/**
 * @param also explanations of members that become no column, or that the rules do not explain well
 * @param nameOf the name of a member for people
 */
export function explain(
  all: readonly Pick<ObjectRules<never, unknown>, 'rules' | 'field' | 'member'>[],
  also: Explained['others'] = {},
  nameOf = (member: string): string => member,
): Explained {
  const members = new Map<string, { readonly fields: string[]; isExpected: boolean }>();
  const needed = new Set<string>();
  for (const { rules, field, member: prefix } of all) {
    for (const { column, rule } of rules) {
      const roots = rule.isProvided ? rule.names : [...new Set(rule.names.map(rootOf))];
      for (const [index, root] of roots.entries()) {
        const name = prefix + root;
        const member = members.get(name) ?? { fields: [], isExpected: false };
        members.set(name, member);
        member.fields.push(field + column.name + noteOf(rule, roots.slice(0, index).map(nameOf)));
        if (rule.isOptional === true || (index > 0 && rule.areAlternatives === true)) continue;
        member.isExpected = true;
        for (const path of rule.names) if (path === root || rootOf(path) === root) needed.add(prefix + path);
      }
    }
  }
  const select = (areExpected: boolean): Readonly<Record<string, string>> =>
    Object.fromEntries(
      [...members]
        .filter(([, { isExpected }]) => isExpected === areExpected)
        .map(([name, { fields }]) => [name, also[name] ?? joined(fields)]),
    );
  const expected = select(true);
  const unnamed = Object.entries(also).filter(([name]) => !Object.hasOwn(expected, name));
  return { expected, others: { ...select(false), ...Object.fromEntries(unnamed) }, needed };
}

const rootOf = (path: string): string => path.replace(/\..*/, '');

function noteOf({ note, areAlternatives }: BoundRule['rule'], earlier: readonly string[]): string {
  if (areAlternatives === true && earlier.length > 0) return `, if no ${earlier.join(' or ')}`;
  return note === undefined ? '' : `: ${note}`;
}

const joined = (fields: readonly string[]): string =>
  fields.join(fields.every((field) => /^[\w.]+$/.test(field)) ? ', ' : '; ');

/** Descriptions of a table's columns for `--explain`. */
export function explainTable<Name extends string>(
  all: Parameters<typeof explain>[0],
  names: ColumnNames<Name>,
  also: Partial<Readonly<Record<Name, string>>> = {},
): TableExplained {
  const shown = (name: string): string => names[name as Name]?.[0] ?? name;
  const { expected, others } = explain(all, also as Explained['others'], shown);
  const meanings = { ...others, ...expected };
  return { column: (name) => meanings[name] ?? '', names };
}
