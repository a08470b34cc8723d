import type { Clock } from './clock.ts';
import { withSignal } from './clock.ts';
import { CatalogError } from './errors.ts';

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
export async function* readLines(
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
