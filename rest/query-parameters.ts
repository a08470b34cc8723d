import { ApiError } from '../src/errors/api-error';

/** Values by parameter name, as often as each was given. */
export type QueryParameters = ReadonlyMap<string, readonly string[]>;

const none: QueryParameters = new Map();

/**
 * Parses a query string (application/x-www-form-urlencoded). Implemented here because URLSearchParams and Express
 * repair malformed input, which D4 requires to be refused.
 * @throws ApiError BAD_USER_INPUT for invalid percent-encoding, in unknown parameters too
 */
export function parseQueryString(queryString: string): QueryParameters {
  if (queryString === '') return none;
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
  return parameters;
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
