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

/** Reads an answer line by line while it arrives; `timeoutMs` is then for each of its pieces. Not repeated after a failure. */
async function* readLines(
  { url, headers = {} }: HttpCall,
  { fetch, timeoutMs }: Pick<TransportParts, 'fetch' | 'timeoutMs'>,
  observe: (headers: Headers) => void,
  signal?: AbortSignal,
): AsyncGenerator<readonly string[], void, undefined> {
  const attempt = new AbortController();
  const end = (): void => attempt.abort();
  signal?.addEventListener('abort', end);
  const inTime = async <Value>(piece: Promise<Value>): Promise<Value> => {
    const timer = setTimeout(end, timeoutMs);
    return piece.finally(() => clearTimeout(timer));
  };
  try {
    if (signal?.aborted === true) end();
    const response = await inTime(fetch(url, { headers, signal: attempt.signal, redirect: 'error' }));
    observe(response.headers);
    const { status, body } = response;
    if (status !== 200 || body === null) throw unexpected({ status, headers: response.headers, text: '' }, 'lines');
    const reader = body.getReader();
    const decoder = new TextDecoder();
    let rest = '';
    for (;;) {
      const { done, value } = await inTime(reader.read());
      if (done) return;
      const lines = (rest + decoder.decode(value, { stream: true })).split('\n');
      rest = lines.pop() as string;
      yield lines;
    }
  } catch (error) {
    if (signal?.aborted === true) throw signal.reason;
    if (error instanceof CatalogError) throw error;
    throw new CatalogError('CONNECTION_FAILED', `The connection failed: ${causeOf(error)}.`, { cause: error });
  } finally {
    signal?.removeEventListener('abort', end);
    end();
  }
}

export interface Transport {
  /**
   * Sends a call until it is answered, waiting as the service asks, within the budget.
   * @param read makes a value of an answer, or throws what is wrong with it
   */
  send<Value>(call: HttpCall, read: (answer: HttpAnswer) => Value, signal?: AbortSignal): Promise<Value>;
  /** Sends a call once, as soon as the rate limit allows it, and reads the lines of its answer while they arrive. */
  stream(call: HttpCall, signal?: AbortSignal): AsyncGenerator<readonly string[], void, undefined>;
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
    async *stream(call, signal) {
      await pace.admit(waitBudgetMs, signal);
      const headers = { ...call.headers, Authorization: `Bearer ${await credentials.get(signal)}` };
      yield* readLines({ ...call, headers }, parts, pace.observe, signal);
    },

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
