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

/** A response that was read completely. */
export interface HttpAnswer {
  readonly status: number;
  readonly headers: Headers;
  readonly text: string;
}

/** Dependencies of every request. */
export interface TransportParts {
  readonly fetch: Fetch;
  readonly clock: Clock;
  readonly random: () => number;
  /** Timeout of one attempt, including its body. */
  readonly timeoutMs: number;
  /** Maximum total wait of one call. */
  readonly waitBudgetMs: number;
}

/** Sends a call once. */
export async function exchange(
  { url, method = 'GET', headers = {}, body }: HttpCall,
  { fetch, timeoutMs }: TransportParts,
  signal?: AbortSignal,
): Promise<HttpAnswer> {
  const { pathname, host } = new URL(url);
  const what = `${method} ${pathname} on ${host}`;
  const read = async (attempt: AbortSignal): Promise<HttpAnswer> => {
    const response = await fetch(url, {
      method,
      headers,
      ...(body !== undefined && { body }),
      signal: attempt,
      redirect: 'error',
    });
    return { status: response.status, headers: response.headers, text: await readText(response.body, attempt) };
  };
  try {
    return await inTime(what, timeoutMs, read, signal);
  } catch (error) {
    throw failureOf(what, error, signal);
  }
}

/**
 * Runs work that may ignore its signal. Rejects when the caller's signal is aborted, or with TIMEOUT after `timeoutMs`,
 * and then aborts the work.
 */
export function inTime<Value>(
  what: string,
  timeoutMs: number,
  work: (signal: AbortSignal) => Promise<Value>,
  signal?: AbortSignal,
  attempt = new AbortController(),
): Promise<Value> {
  let timer: ReturnType<typeof setTimeout>;
  return withSignal<Value>(signal, (resolve, reject) => {
    timer = setTimeout(() => {
      reject(new CatalogError('TIMEOUT', `${what}: no response within ${timeoutMs} ms (timeoutMs).`));
      attempt.abort();
    }, timeoutMs);
    work(attempt.signal).then(resolve, reject);
    return () => attempt.abort();
  }).finally(() => clearTimeout(timer));
}

/** The error to throw for an error of fetch. */
function failureOf(what: string, error: unknown, signal: AbortSignal | undefined): unknown {
  if (signal?.aborted === true || error instanceof CatalogError) return error;
  return new CatalogError('CONNECTION_FAILED', `${what}: the connection failed: ${causeOf(error)}.`, { cause: error });
}

/** Node puts the reason into the cause of "fetch failed". A custom fetch may reject with any value. */
function causeOf(error: unknown): string {
  const { cause, message } = (error ?? {}) as Error & {
    readonly cause?: { readonly message?: string; readonly code?: string };
  };
  return cause?.message || cause?.code || message || (typeof error === 'string' ? error : 'unknown reason');
}

/**
 * Maximum size of a response or an export line, in characters. The service does not limit the size of a product with
 * its variants; V8 limits strings to twice as much.
 */
const mostCharacters = 256 * 1024 * 1024;

/** Streams a body as text. */
async function* readChunks(
  body: ReadableStream<Uint8Array> | null,
  waitFor: <Value>(work: () => Promise<Value>) => Promise<Value> = (work) => work(),
): AsyncGenerator<string, void, undefined> {
  const reader = body?.getReader();
  const decoder = new TextDecoder();
  try {
    for (;;) {
      const { done, value } = (await (reader && waitFor(() => reader.read()))) ?? { done: true };
      if (done) return;
      yield decoder.decode(value, { stream: true });
    }
  } finally {
    reader?.cancel().catch(() => undefined);
  }
}

/** Joins the chunks of incomplete text once, not again for each chunk. */
class Chunks {
  #chunks: string[] = [];
  #length = 0;

  add(chunk: string): void {
    this.#length += chunk.length;
    if (this.#length > mostCharacters) {
      throw new CatalogError(
        'UNEXPECTED_RESPONSE',
        `Expected a response or export line of at most ${mostCharacters} characters, the maximum of this client, got a longer one.`,
      );
    }
    this.#chunks.push(chunk);
  }

  take(): string {
    const text = this.#chunks.join('');
    this.#chunks = [];
    this.#length = 0;
    return text;
  }
}

async function readText(body: ReadableStream<Uint8Array> | null, signal: AbortSignal): Promise<string> {
  const text = new Chunks();
  for await (const chunk of readChunks(body)) {
    signal.throwIfAborted();
    text.add(chunk);
  }
  return text.take();
}

/** Streams a response line by line; `timeoutMs` then applies to each chunk. Not retried after a failure. */
export async function* readLines(
  { url, headers = {} }: HttpCall,
  { fetch, timeoutMs }: TransportParts,
  observe: (headers: Headers) => void,
  signal?: AbortSignal,
): AsyncGenerator<readonly string[], void, undefined> {
  const attempt = new AbortController();
  const waitFor = <Value>(work: () => Promise<Value>): Promise<Value> =>
    inTime('export', timeoutMs, work, signal, attempt);
  try {
    const response = await waitFor(() => fetch(url, { headers, signal: attempt.signal, redirect: 'error' }));
    observe(response.headers);
    const { status, body } = response;
    if (status !== 200 || body === null) throw unexpected({ status, headers: response.headers, text: '' }, 'lines');
    const rest = new Chunks();
    for await (const chunk of readChunks(body, waitFor)) {
      const [first = '', ...others] = chunk.split('\n');
      rest.add(first);
      if (others.length === 0) continue;
      const next = others.pop() as string;
      yield [rest.take(), ...others];
      rest.add(next);
    }
  } catch (error) {
    throw failureOf('export', error, signal);
  } finally {
    attempt.abort();
  }
}

/** The error for a response that does not have the service's format. */
export function unexpected({ status, headers, text }: HttpAnswer, expected: string): CatalogError {
  const got = `${status} ${headers.get('Content-Type') ?? 'without Content-Type'}: ${JSON.stringify(text.slice(0, 80))}`;
  return new CatalogError('UNEXPECTED_RESPONSE', `Expected ${expected}, got ${got}. Is this the origin of the API?`, {
    status,
    ...detailsOf(headers),
  });
}

export const detailsOf = (headers: Headers): { requestId: string | undefined; retryAfterMs: number | undefined } => {
  const text = headers.get('Retry-After') ?? '';
  // Proxies may send a date (RFC 9110 10.2.3).
  const seconds = Number(text) || (Date.parse(text) - Date.now()) / 1000;
  return {
    requestId: headers.get('X-Request-Id') ?? undefined,
    // At least a second, so that retries always pause.
    retryAfterMs: Number.isFinite(seconds) ? Math.max(1, seconds) * 1000 : undefined,
  };
};

/** @returns the JSON object in a response */
export function parseJson(answer: HttpAnswer): Members {
  const body = parseMembers(answer.text);
  if (body === undefined) throw unexpected(answer, 'a JSON object');
  return body;
}

export type Members = Readonly<Record<string, unknown>>;

export const isMembers = (value: unknown): value is Members =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/**
 * Parses a JSON object; undefined for anything else. Omits `__proto__` members, which would become the prototype of an
 * object they are copied into.
 */
export function parseMembers(text: string): Members | undefined {
  try {
    const value: unknown = /__proto__|\\u00/i.test(text)
      ? JSON.parse(text, function (this: unknown, name, member: unknown) {
          return name === '__proto__' ? undefined : member;
        })
      : JSON.parse(text);
    return isMembers(value) ? value : undefined;
  } catch {
    return undefined;
  }
}
