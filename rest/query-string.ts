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
