import type { Clock } from './clock.ts';
import { withSignal } from './clock.ts';
import type { Credentials } from './credentials.ts';
import { CatalogError, isTransient } from './errors.ts';
import type { Pace } from './pace.ts';

export type Fetch = (url: string, init: RequestInit) => Promise<Response>;

export interface HttpCall {
  readonly url: string;
  readonly method?: 'GET' | 'POST';
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string;
}

/** An answer that was read to its end. */
export interface HttpAnswer {
  readonly status: number;
  readonly headers: Headers;
  readonly text: string;
}

/** What every request needs of its surroundings. */
export interface TransportParts {
  readonly fetch: Fetch;
  readonly clock: Clock;
  readonly random: () => number;
  /** For one attempt, its body included. */
  readonly timeoutMs: number;
  /** For all that one call may wait before it is answered. */
  readonly waitBudgetMs: number;
}

/** Sends a call once. */
export async function exchange(
  { url, method = 'GET', headers = {}, body }: HttpCall,
  { fetch, timeoutMs }: Pick<TransportParts, 'fetch' | 'timeoutMs'>,
  signal?: AbortSignal,
): Promise<HttpAnswer> {
  const { pathname, host } = new URL(url);
  const what = `${method} ${pathname} of ${host}`;
  const attempt = new AbortController();
  let isLate = false;
  const timer = setTimeout(() => {
    isLate = true;
    attempt.abort();
  }, timeoutMs);
  try {
    return await withSignal<HttpAnswer>(signal, (resolve, reject) => {
      const read = async (): Promise<HttpAnswer> => {
        const response = await fetch(url, {
          method,
          headers,
          ...(body !== undefined && { body }),
          signal: attempt.signal,
          redirect: 'error',
        });
        return { status: response.status, headers: response.headers, text: await response.text() };
      };
      read().then(resolve, reject);
      return () => attempt.abort();
    });
  } catch (error) {
    if (signal?.aborted === true) throw error;
    throw isLate
      ? new CatalogError('TIMEOUT', `${what}: expected an answer within ${timeoutMs} ms (timeoutMs), got none.`)
      : new CatalogError('CONNECTION_FAILED', `${what}: the connection failed: ${causeOf(error)}.`, { cause: error });
  } finally {
    clearTimeout(timer);
  }
}

/** Node says what went wrong in the cause of "fetch failed". */
function causeOf(error: unknown): string {
  const { cause, message } = error as Error & {
    readonly cause?: { readonly message?: string; readonly code?: string };
  };
  return cause?.message || cause?.code || message;
}

export interface Transport {
  /**
   * Sends a call until it is answered, waiting as the service asks, within the budget.
   * @param read makes a value of an answer, or throws what is wrong with it
   */
  send<Value>(call: HttpCall, read: (answer: HttpAnswer) => Value, signal?: AbortSignal): Promise<Value>;
}

/** How often a call is repeated after failures that do not say when to come again: for half a minute. */
const mostBlindRetries = 5;

export function createTransport(parts: TransportParts & { credentials: Credentials; pace: Pace }): Transport {
  const { credentials, pace, clock, random, waitBudgetMs } = parts;

  const attempt = async <Value>(
    call: HttpCall,
    read: (answer: HttpAnswer) => Value,
    signal: AbortSignal | undefined,
    mayRenew = true,
  ): Promise<Value> => {
    const authorization = await credentials.get(signal);
    const answer = await exchange(
      { ...call, headers: { ...call.headers, Authorization: `Bearer ${authorization}` } },
      parts,
      signal,
    );
    pace.observe(answer.headers);
    if (answer.status === 401 && mayRenew && credentials.forget(authorization))
      return attempt(call, read, signal, false);
    return read(answer);
  };

  return {
    async send(call, read, signal) {
      let budget = waitBudgetMs;
      for (let failures = 0; ; failures += 1) {
        budget -= await pace.admit(budget, signal);
        try {
          return await attempt(call, read, signal);
        } catch (error) {
          if (!(error instanceof CatalogError) || !isTransient(error)) throw error;
          const { code, retryAfterMs } = error;
          if (retryAfterMs === undefined && failures >= mostBlindRetries) throw error;
          const wait = retryAfterMs ?? 1000 * 2 ** failures;
          if (code === 'RATE_LIMITED') pace.block(wait);
          if (wait > budget) throw error;
          // All calls of the key wait for its limit, in `admit`.
          if (code === 'RATE_LIMITED') continue;
          const rest = wait * (1 + random() / 10);
          await clock.sleep(rest, signal);
          budget -= rest;
        }
      }
    },
  };
}

/** An error of an answer that is none of the service's own shapes. */
export function unexpected({ status, headers, text }: HttpAnswer, expected: string): CatalogError {
  const got = `${status} ${headers.get('Content-Type') ?? 'without Content-Type'}: ${JSON.stringify(text.slice(0, 80))}`;
  return new CatalogError('UNEXPECTED_RESPONSE', `Expected ${expected}, got ${got}. Is this the origin of the API?`, {
    status,
    ...detailsOf(headers),
  });
}

export const detailsOf = (headers: Headers): { requestId: string | undefined; retryAfterMs: number | undefined } => {
  const seconds = Number(headers.get('Retry-After') ?? NaN);
  return {
    requestId: headers.get('X-Request-Id') ?? undefined,
    retryAfterMs: Number.isNaN(seconds) ? undefined : seconds * 1000,
  };
};

export function parseJson(answer: HttpAnswer): unknown {
  try {
    return JSON.parse(answer.text) as unknown;
  } catch {
    throw unexpected(answer, 'JSON');
  }
}
