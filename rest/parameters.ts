import { ApiError } from '../src/errors/api-error';
import type { QueryParameters } from './query-string';
import { readText } from './query-string';

/** What the text of a parameter may be (D4), which value it becomes, and how OpenAPI says so. */
export interface Rule<Value = unknown> {
  readonly type: 'string' | 'integer' | 'boolean';
  /** Beside the type, in the schema of OpenAPI; a `$ref` stands for all of it. */
  readonly schema?: Readonly<Record<string, unknown>>;
  /** The value of a parameter that is not given. */
  readonly absent: Value;
  /** Undefined for a text that breaks the rule. */
  readonly parse: (text: string) => Value | undefined;
  /** What an error says. */
  readonly expected: (text: string) => string;
}

/** A parameter of an operation: its reader, its tool's argument, its field in the console and its OpenAPI. */
export interface Parameter<Value = unknown, Fills extends readonly string[] = readonly string[]> {
  readonly name: string;
  readonly in?: 'path';
  /** The path of the variable that it fills in the operation's document. */
  readonly fills: Fills;
  readonly rule: Rule<Value>;
  readonly description: string;
  readonly example?: string | boolean;
}

/** A parameter that fills a variable of this type, or a member of its filter. */
export type ParameterOf<Variables> = {
  [Name in keyof Variables & string]-?: Name extends 'filter'
    ? FilterParameterOf<NonNullable<Variables[Name]>>
    : Parameter<Variables[Name], readonly [Name]>;
}[keyof Variables & string];

type FilterParameterOf<Filter> = {
  [Member in keyof Filter & string]-?: Parameter<Filter[Member], readonly ['filter', Member]>;
}[keyof Filter & string];

/** Text as it is, including the empty text. */
export const text: Rule<string | null> = {
  type: 'string',
  absent: null,
  parse: (given) => given,
  expected: () => 'text',
};

/** One of a fixed set of words, exactly. */
export const choice = <Word extends string>(words: readonly Word[], schema: Rule['schema']): Rule<Word | null> => ({
  type: 'string',
  ...(schema && { schema }),
  absent: null,
  parse: (given) => words.find((word) => word === given),
  expected: () => `one of ${words.join(', ')}`,
});

export const flag: Rule<boolean | null> = {
  type: 'boolean',
  absent: null,
  parse: (given) => (given === 'true' ? true : given === 'false' ? false : undefined),
  expected: () => 'one of true, false',
};

const pageSize = { minimum: 1, maximum: 200, default: 50 } as const;

/** Size of a page: decimal digits without a leading zero, never clamped. */
const size: Rule<number> = {
  type: 'integer',
  schema: pageSize,
  absent: pageSize.default,
  parse: (given) => (/^[1-9][0-9]*$/.test(given) && Number(given) <= pageSize.maximum ? Number(given) : undefined),
  expected: (given) =>
    `a whole number from ${pageSize.minimum} to ${pageSize.maximum}${/^0+[1-9]/.test(given) ? ' without a leading zero' : ''}`,
};

/** The contents of a cursor are opaque here. */
const cursor: Rule<string | null> = {
  type: 'string',
  schema: { minLength: 1 },
  absent: null,
  parse: (given) => (given === '' ? undefined : given),
  expected: () => 'the next_cursor of the previous page',
};

/** Of every list. */
export const page = [
  {
    name: 'limit',
    fills: ['first'],
    rule: size,
    description:
      'How many objects a page holds at most, in decimal digits. Objects that are very large may leave room for fewer: at least one, and `has_more` says whether others follow.',
  },
  {
    name: 'cursor',
    fills: ['after'],
    rule: cursor,
    description:
      '`next_cursor` of the previous page, given back as it came; leave it out for the first page. It belongs to the list and the filters that it was given out with, not to `limit`.',
  },
] as const;

/** Size of a page, for readers of other routes. */
export const readLimit = (query: QueryParameters): number => read(page[0], readText(query, 'limit')) as number;

/**
 * The variables of an operation's document.
 * @param path Decoded, by the name in the path.
 * @throws ApiError BAD_USER_INPUT for a parameter that breaks its rule (D4)
 */
export function readVariables(
  parameters: readonly Parameter[],
  { path, query }: { readonly path: Readonly<Record<string, string>>; readonly query: QueryParameters },
): Readonly<Record<string, unknown>> {
  const variables: Record<string, unknown> = {};
  for (const parameter of parameters) {
    const { name, fills } = parameter;
    const value = read(parameter, parameter.in === 'path' ? (path[name] ?? '') : readText(query, name));
    const [first = name, member] = fills;
    if (member === undefined) variables[first] = value;
    else variables[first] = { ...(variables[first] as object | undefined), [member]: value };
  }
  return variables;
}

const longestQuote = 50;

function read({ name, rule }: Pick<Parameter, 'name' | 'rule'>, given: string | null): unknown {
  if (given === null) return rule.absent;
  const value = rule.parse(given);
  if (value !== undefined) return value;
  const characters = [...given];
  const quote = characters.length > longestQuote ? `${characters.slice(0, longestQuote).join('')}…` : given;
  throw new ApiError('BAD_USER_INPUT', `${name}: expected ${rule.expected(given)}, got ${JSON.stringify(quote)}.`);
}
