import { ApiError } from '../src/errors/api-error';

/** Values by parameter name, as often as each was given. */
export interface QueryParameters {
  get(name: string): readonly string[] | undefined;
}

/** The parameters of one call. Remembers which names were asked for. */
class ReadParameters implements QueryParameters {
  readonly #asked = new Set<string>();

  constructor(private readonly values: ReadonlyMap<string, readonly string[]>) {}

  get(name: string): readonly string[] | undefined {
    this.#asked.add(name);
    return this.values.get(name);
  }

  /** The names that were given and that nothing has asked for: unknown ones, once everything is read. */
  listIgnored(): readonly string[] {
    return [...this.values.keys()].filter((name) => !this.#asked.has(name));
  }
}

const longestName = 40;
const mostNames = 10;

/**
 * `Ignored-Parameters`, so that a misspelled parameter does not pass in silence (D4). Names are percent-encoded, so
 * that they can contain neither a separator nor a control character; long names and long lists are cut.
 */
export function toIgnoredHeader(names: readonly string[]): readonly string[] {
  if (names.length === 0) return [];
  const shown = names.slice(0, mostNames).map((name) => {
    const start = [...name].slice(0, longestName).join('');
    return `${encodeURIComponent(start)}${start === name ? '' : '...'}`;
  });
  return ['Ignored-Parameters', [...shown, ...(names.length > mostNames ? ['...'] : [])].join(', ')];
}

const none: ReadonlyMap<string, readonly string[]> = new Map();

/**
 * Parses a query string (application/x-www-form-urlencoded). Implemented here because URLSearchParams and Express
 * repair malformed input, which D4 requires to be refused.
 * @throws ApiError BAD_USER_INPUT for invalid percent-encoding, in unknown parameters too
 */
export function parseQueryString(queryString: string): ReadParameters {
  if (queryString === '') return new ReadParameters(none);
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
  return new ReadParameters(parameters);
}

function decode(text: string): string {
  const spaced = text.includes('+') ? text.replaceAll('+', ' ') : text;
  if (!spaced.includes('%')) return spaced;
  try {
    return decodeURIComponent(spaced);
  } catch (cause) {
    throw new ApiError(
      'BAD_USER_INPUT',
      'URL: the query holds invalid percent-encoding; expected UTF-8 bytes as %XX.',
      {
        cause,
      },
    );
  }
}

const defaultLimit = 50;
const maximumLimit = 200;
const longestQuote = 50;

/** Text as it is, including the empty text; null if it was not given. */
export function readText(query: QueryParameters, name: string): string | null {
  const values = query.get(name);
  if (values === undefined) return null;
  const [value, ...others] = values;
  if (value === undefined || others.length > 0) {
    throw new ApiError('BAD_USER_INPUT', `${name}: expected at most one value, got ${values.length}.`);
  }
  return value;
}

/** One of a fixed set of words, exactly. */
export function readChoice<Word extends string>(
  query: QueryParameters,
  name: string,
  words: readonly Word[],
): Word | null {
  const text = readText(query, name);
  if (text === null) return null;
  const word = words.find((candidate) => candidate === text);
  if (word === undefined) throw createValueError(name, `one of ${words.join(', ')}`, text);
  return word;
}

export function readBoolean(query: QueryParameters, name: string): boolean | null {
  const word = readChoice(query, name, ['true', 'false']);
  return word === null ? null : word === 'true';
}

/** Size of a page: decimal digits without a leading zero, never clamped (D4). */
export function readLimit(query: QueryParameters): number {
  const text = readText(query, 'limit');
  if (text === null) return defaultLimit;
  const limit = /^[1-9][0-9]*$/.test(text) ? Number(text) : 0;
  if (limit < 1 || limit > maximumLimit) {
    const form = /^0+[1-9]/.test(text) ? ' without a leading zero' : '';
    throw createValueError('limit', `a whole number from 1 to ${maximumLimit}${form}`, text);
  }
  return limit;
}

/** Where the page starts; the contents of a cursor are opaque here. */
export function readCursor(query: QueryParameters): string | null {
  const text = readText(query, 'cursor');
  if (text === '') throw createValueError('cursor', 'the next_cursor of the previous page', text);
  return text;
}

/** The expected and the actual value, the latter truncated. */
function createValueError(name: string, expected: string, got: string): ApiError {
  const characters = [...got];
  const quote = characters.length > longestQuote ? `${characters.slice(0, longestQuote).join('')}…` : got;
  return new ApiError('BAD_USER_INPUT', `${name}: expected ${expected}, got ${JSON.stringify(quote)}.`);
}

/** The input of a parameter reader. */
export interface Parameters {
  /** Decoded, by the name in the path. */
  readonly path: Readonly<Record<string, string>>;
  readonly query: QueryParameters;
}

/**
 * One REST operation: a fixed document, its input (parameters → variables) and its output (data → body). The types of
 * variables and data are generated from the document.
 */
export interface RestOperation<
  Variables = Readonly<Record<string, unknown>>,
  Data = Readonly<Record<string, unknown>>,
> {
  /** As in openapi.yaml; the document is operations/<operationId>.graphql. */
  readonly operationId: string;
  /** Below /v1, in OpenAPI's syntax. */
  readonly path: string;
  /** @throws ApiError BAD_USER_INPUT for a parameter that breaks its rule (D4) */
  readonly readVariables: (parameters: Parameters) => Variables;
  /** @throws ApiError NOT_FOUND if the requested object does not exist */
  toBody(data: Data): object;
}

/** A connection as the documents of the lists select it; null only together with an error. */
interface Page {
  readonly nodes: readonly unknown[];
  readonly pageInfo: { readonly hasNextPage: boolean; readonly endCursor: string | null };
}

/** The page envelope of the specification: it contains the cursor only if there is a next page. */
export function toPageBody(connection: Page | null) {
  if (connection === null) throw new Error('A list is null only together with an error, which has been thrown.');
  const { nodes, pageInfo } = connection;
  const { hasNextPage, endCursor } = pageInfo;
  return { data: nodes, has_more: hasNextPage, next_cursor: hasNextPage ? endCursor : null };
}
