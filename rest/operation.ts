import { ApiError } from '../src/errors/api-error';

/** How a parameter is validated (D4) and converted, and its OpenAPI schema. */
export interface Rule<Value = unknown> {
  readonly type: 'string' | 'integer' | 'boolean';
  /** Added to the type in the OpenAPI schema; a `$ref` replaces the whole schema. */
  readonly schema?: Readonly<Record<string, unknown>>;
  /** The value if the parameter is omitted. */
  readonly absent: Value;
  /** Returns undefined for invalid text. */
  readonly parse: (text: string) => Value | undefined;
  /** Completes "expected …" in the error message for invalid text. */
  readonly expected: (text: string) => string;
}

/** A parameter of an operation, its MCP tool, its console form and its OpenAPI entry. */
export interface Parameter<Value = unknown, Fills extends readonly string[] = readonly string[]> {
  readonly name: string;
  readonly in?: 'path';
  /** The variable of the document that it sets, or the path of a member: `['first']`, `['filter', 'status']`. */
  readonly fills: Fills;
  readonly rule: Rule<Value>;
  readonly description: string;
  readonly example?: string | boolean;
}

/** The parameters that may set these variables, so that a wrong name or type in an operation does not compile. */
export type ParameterOf<Variables> = {
  [Name in keyof Variables & string]-?: Name extends 'filter'
    ? FilterParameterOf<NonNullable<Variables[Name]>>
    : Parameter<Variables[Name], readonly [Name]>;
}[keyof Variables & string];

type FilterParameterOf<Filter> = {
  [Member in keyof Filter & string]-?: Parameter<Filter[Member], readonly ['filter', Member]>;
}[keyof Filter & string];

/** Any text, unchanged. It may be empty. */
export const text: Rule<string | null> = {
  type: 'string',
  absent: null,
  parse: (given) => given,
  expected: () => 'text',
};

/** One of a fixed set of words, case-sensitive. */
export const choice = <Word extends string>(words: readonly Word[], schema?: Rule['schema']): Rule<Word | null> => ({
  type: 'string',
  ...(schema && { schema }),
  absent: null,
  parse: (given) => words.find((word) => word === given),
  expected: () => `one of ${words.join(', ')}`,
});

/** A comma-separated list of words from a fixed set. */
export const listOf = <Word extends string>(words: readonly Word[]): Rule<readonly Word[] | null> => ({
  type: 'string',
  absent: null,
  parse(given) {
    const named = given.split(',');
    return named.every((name) => words.includes(name as Word))
      ? words.filter((word) => named.includes(word))
      : undefined;
  },
  expected: () => `a comma-separated list of ${words.join(', ')}`,
});

export const flag: Rule<boolean | null> = {
  type: 'boolean',
  absent: null,
  parse: (given) => (given === 'true' ? true : given === 'false' ? false : undefined),
  expected: () => 'one of true, false',
};

const pageSizeBounds = { minimum: 1, maximum: 200, default: 50 } as const;

/** Too large a page size is an error, not clamped to the maximum (D4). */
export const pageSize: Rule<number> = {
  type: 'integer',
  schema: pageSizeBounds,
  absent: pageSizeBounds.default,
  parse: (given) =>
    /^[1-9][0-9]*$/.test(given) && Number(given) <= pageSizeBounds.maximum ? Number(given) : undefined,
  expected: (given) =>
    `an integer from ${pageSizeBounds.minimum} to ${pageSizeBounds.maximum}${/^0+[1-9]/.test(given) ? ' without leading zeros' : ''}`,
};

/** Only an empty cursor is refused here: the resolver of the list opens the others. */
const cursor: Rule<string | null> = {
  type: 'string',
  schema: { minLength: 1 },
  absent: null,
  parse: (given) => (given === '' ? undefined : given),
  expected: () => 'the next_cursor of the previous page',
};

/** The pagination parameters of every list. */
export const pageParameters = [
  {
    name: 'limit',
    fills: ['first'],
    rule: pageSize,
    description:
      'Maximum number of objects per page. A page of very large objects may contain fewer (at least one), so rely on `has_more`.',
  },
  {
    name: 'cursor',
    fills: ['after'],
    rule: cursor,
    description:
      '`next_cursor` of the previous page, unchanged. Omit it for the first page. A cursor is valid only for the list and filters that returned it; `limit` may change.',
  },
] as const;

/**
 * Reads one parameter, for routes without a table of parameters.
 * @throws ApiError BAD_USER_INPUT if it breaks its rule (D4)
 */
export const readParameter = <Value>(query: QueryParameters, name: string, rule: Rule<Value>): Value =>
  read({ name, rule }, readText(query, name)) as Value;

/**
 * The variables of an operation's document.
 * @param path The path parameters by name, decoded.
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
    const [variable = name, member] = fills;
    if (member === undefined) variables[variable] = value;
    else variables[variable] = { ...(variables[variable] as object | undefined), [member]: value };
  }
  return variables;
}

/** Characters of an invalid value in the error message. */
const longestQuote = 50;

/** Applies the rule to the text of a parameter; null means that it is absent. */
function read({ name, rule }: Pick<Parameter, 'name' | 'rule'>, given: string | null): unknown {
  if (given === null) return rule.absent;
  const value = rule.parse(given);
  if (value !== undefined) return value;
  const characters = [...given];
  const quote = characters.length > longestQuote ? `${characters.slice(0, longestQuote).join('')}…` : given;
  throw new ApiError('BAD_USER_INPUT', `${name}: expected ${rule.expected(given)}, got ${JSON.stringify(quote)}.`);
}

/** The query parameters of a request. A parameter has several values if it is repeated. */
export interface QueryParameters {
  get(name: string): readonly string[] | undefined;
}

/** Query parameters that record which names were read. */
class RecordingParameters implements QueryParameters {
  readonly #read = new Set<string>();

  constructor(private readonly values: ReadonlyMap<string, readonly string[]>) {}

  get(name: string): readonly string[] | undefined {
    this.#read.add(name);
    return this.values.get(name);
  }

  /** Names that were sent but never read. Call it after all known parameters are read: the rest is unknown. */
  listIgnored(): readonly string[] {
    return [...this.values.keys()].filter((name) => name !== '' && !this.#read.has(name));
  }
}

/** Characters of a name, and names, in `Ignored-Parameters`. */
const longestName = 40;
const mostNames = 10;

/**
 * The name and value of the header `Ignored-Parameters`, which reports misspelled parameters (D4); empty without any.
 * Names are percent-encoded, so that they contain neither separators nor control characters; long names and long lists
 * are cut.
 */
export function toIgnoredHeader(names: readonly string[]): readonly string[] {
  if (names.length === 0) return [];
  const shown = names.slice(0, mostNames).map((name) => {
    const start = [...name].slice(0, longestName).join('');
    return `${encodeURIComponent(start)}${start === name ? '' : '...'}`;
  });
  return ['Ignored-Parameters', [...shown, ...(names.length > mostNames ? ['...'] : [])].join(', ')];
}

/**
 * Parses a query string (application/x-www-form-urlencoded). Implemented here because URLSearchParams and Express
 * repair malformed input, which D4 requires to be rejected.
 * @throws ApiError BAD_USER_INPUT for invalid percent-encoding, in unknown parameters too
 */
export function parseQueryString(queryString: string): RecordingParameters {
  const parameters = new Map<string, string[]>();
  for (const pair of queryString.split('&')) {
    if (pair === '') continue;
    const middle = pair.indexOf('=');
    const name = decode(middle === -1 ? pair : pair.slice(0, middle));
    const value = middle === -1 ? '' : decode(pair.slice(middle + 1));
    const values = parameters.get(name);
    if (values === undefined) parameters.set(name, [value]);
    else values.push(value);
  }
  return new RecordingParameters(parameters);
}

/** Decodes form encoding, where `+` is a space. Skips steps that most texts do not need. */
function decode(text: string): string {
  const spaced = text.includes('+') ? text.replaceAll('+', ' ') : text;
  if (!spaced.includes('%')) return spaced;
  try {
    return decodeURIComponent(spaced);
  } catch (cause) {
    throw new ApiError(
      'BAD_USER_INPUT',
      'URL: the query string contains invalid percent-encoding; expected UTF-8 bytes as %XX.',
      {
        cause,
      },
    );
  }
}

/** The value of a query parameter; null if absent. @throws ApiError BAD_USER_INPUT if it is repeated */
function readText(query: QueryParameters, name: string): string | null {
  const values = query.get(name);
  if (values === undefined) return null;
  const [value, ...others] = values;
  if (value === undefined || others.length > 0) {
    throw new ApiError('BAD_USER_INPUT', `${name}: expected at most one value, got ${values.length}.`);
  }
  return value;
}

/**
 * One REST operation: a fixed document, its input (parameters → variables) and its output (data → body). `Data` is the
 * type that codegen generates from the document.
 */
export interface RestOperation<Data = Readonly<Record<string, unknown>>> {
  /** As in openapi.yaml; the document is operations/<operationId>.graphql. */
  readonly operationId: string;
  /** Below /v1, in OpenAPI's syntax. */
  readonly path: string;
  readonly parameters: readonly Parameter[];
  /** @throws ApiError NOT_FOUND if the requested object does not exist */
  toBody(data: Data): object;
}

/** A connection as the documents of the lists select it; null only together with an error. */
interface Page {
  readonly nodes: readonly unknown[];
  readonly pageInfo: { readonly hasNextPage: boolean; readonly endCursor: string | null };
}

/** The body of a page: `next_cursor` is null on the last page. */
export function toPageBody(connection: Page | null) {
  if (connection === null) throw new Error('A null list always comes with an error, which is thrown first.');
  const { nodes, pageInfo } = connection;
  const { hasNextPage, endCursor } = pageInfo;
  return { data: nodes, has_more: hasNextPage, next_cursor: hasNextPage ? endCursor : null };
}

/** The parameters whose value becomes an argument of another name. */
const parameterNames = new Map([
  ['after', 'cursor'],
  ['timeZone', 'time_zone'],
  ['range', 'from, to'],
]);

/** Rethrows an error of the graph, which is about its own argument, with the name of the parameter. */
export function nameParameter(thrown: unknown): never {
  if (!(thrown instanceof ApiError)) throw thrown;
  const [argument = '', ...rest] = thrown.message.split(': ');
  const parameter = parameterNames.get(argument);
  throw parameter === undefined ? thrown : new ApiError(thrown.code, [parameter, ...rest].join(': '));
}
