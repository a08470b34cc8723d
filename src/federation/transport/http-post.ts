import type { IncomingHttpHeaders } from 'node:http';
import type { Transform } from 'node:stream';
import { createBrotliDecompress, createGunzip } from 'node:zlib';
import type { Dispatcher } from 'undici';
import { Agent } from 'undici';
import type { Cancellation } from '../../common/cancellation';
import { TransportError } from './transport-error';

export interface HttpPost {
  readonly url: URL;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
  readonly cancellation: Cancellation;
  /**
   * Called with the head of the response. @returns what reads the body, decompressed, chunk by chunk
   * @throws TransportError to drop the response, and its connection; so does the reader
   */
  readonly onHead: (head: HttpHead) => (chunk: Uint8Array) => void;
}

export interface HttpHead {
  readonly status: number;
  /** Without parameters, in lower case; undefined where the header is missing. */
  readonly mediaType: string | undefined;
  /** Retry-After in seconds (RFC 9110 10.2.3), within a day; undefined where it is missing, a date or anything else. */
  readonly retryAfterSeconds: number | undefined;
}

/** Time limits are the caller's, for the whole request. */
const agent = new Agent({ headersTimeout: 0, bodyTimeout: 0 });

/** Interim responses (1xx) before the final one; each costs the sender next to nothing. */
const maxInterimResponses = 8;

/**
 * Sends a POST and resolves when the body of the response was read. Uses undici's dispatcher, not `fetch`, which
 * follows redirects, and decompresses any chain of encodings in a response. Redirects are treated like other responses.
 * @throws TransportError when there is no whole response; the reason of the cancellation when it was canceled.
 */
export function postHttp(post: HttpPost): Promise<void> {
  if (post.cancellation.endReason !== undefined) return Promise.reject(post.cancellation.endReason);
  return new Promise((resolve, reject) => {
    const { url, headers, body } = post;
    const handler = new PostHandler(post, resolve, reject);
    try {
      agent.dispatch(
        {
          origin: url.origin,
          path: url.pathname + url.search,
          method: 'POST',
          headers: { ...basicCredentials(url), ...headers, 'accept-encoding': 'gzip, br' },
          body,
        },
        handler,
      );
    } catch (thrown) {
      handler.onResponseError(undefined, thrown as Error);
    }
  });
}

/** Of an address such as `https://user:password@host/`. */
function basicCredentials({ username, password }: URL): Record<string, string> {
  if (username === '' && password === '') return {};
  const credentials = `${decodeURIComponent(username)}:${decodeURIComponent(password)}`;
  return { authorization: `Basic ${Buffer.from(credentials).toString('base64')}` };
}

/** Reads one response. */
class PostHandler implements Dispatcher.DispatchHandler {
  readonly #forget: () => void;
  #controller: Dispatcher.DispatchController | undefined;
  /** Why the response is dropped. */
  #fault: Error | undefined;
  #isSettled = false;
  #interim = 0;
  #read: ((chunk: Uint8Array) => void) | undefined;
  #decompress: Transform | undefined;

  constructor(
    private readonly post: HttpPost,
    private readonly resolve: () => void,
    private readonly reject: (error: Error) => void,
  ) {
    this.#forget = post.cancellation.onEnd((reason) => this.#drop(reason));
  }

  onRequestStart(controller: Dispatcher.DispatchController): void {
    this.#controller = controller;
    if (this.#fault !== undefined) controller.abort(this.#fault);
  }

  onResponseStart(controller: Dispatcher.DispatchController, status: number, headers: IncomingHttpHeaders): void {
    if (status < 200) {
      this.#interim += 1;
      if (this.#interim > maxInterimResponses) this.#drop(broken('failed', new Error('too many interim responses')));
      return;
    }
    try {
      this.#read = this.post.onHead(toHead(status, headers));
      this.#decompress = createDecompress(one(headers['content-encoding']));
    } catch (thrown) {
      return this.#drop(thrown as Error);
    }
    this.#decompress
      ?.on('data', (chunk: Buffer) => this.#take(chunk))
      .on('drain', () => controller.resume())
      .on('end', () => this.#finish())
      .on('error', (error) => this.#drop(broken('lost', error)));
  }

  onResponseData(controller: Dispatcher.DispatchController, chunk: Buffer): void {
    if (this.#isSettled) return;
    if (this.#decompress === undefined) this.#take(chunk);
    else if (!this.#decompress.write(chunk)) controller.pause();
  }

  onResponseEnd(): void {
    if (this.#decompress === undefined) this.#finish();
    else this.#decompress.end();
  }

  onResponseError(_controller: unknown, error: Error): void {
    this.#drop(broken(this.#read === undefined ? 'failed' : 'lost', error));
  }

  #take(chunk: Uint8Array): void {
    if (this.#isSettled) return;
    try {
      this.#read?.(chunk);
    } catch (thrown) {
      this.#drop(thrown as Error);
    }
  }

  #finish(): void {
    if (this.#isSettled) return;
    this.#settle();
    this.resolve();
  }

  #drop(fault: Error): void {
    if (this.#isSettled) return;
    this.#settle();
    this.#fault = fault;
    this.#decompress?.destroy();
    this.#controller?.abort(fault);
    this.reject(fault);
  }

  #settle(): void {
    this.#isSettled = true;
    this.#forget();
  }
}

const broken = (what: 'failed' | 'lost', cause: Error): TransportError =>
  new TransportError('SUBREQUEST_HTTP_ERROR', `connection ${what}`, { cause, isRetryable: true });

const toHead = (status: number, headers: IncomingHttpHeaders): HttpHead => ({
  status,
  mediaType: one(headers['content-type'])?.split(';', 1)[0]?.trim().toLowerCase(),
  retryAfterSeconds: toSeconds(one(headers['retry-after'])),
});

/** The first one, of a header that may be there once. */
const one = (value: string | readonly string[] | undefined): string | undefined =>
  typeof value === 'object' ? value[0] : value;

const longestWaitSeconds = 86_400;

function toSeconds(text: string | undefined): number | undefined {
  const seconds = /^\d{1,6}$/.test(text ?? '') ? Number(text) : Infinity;
  return seconds <= longestWaitSeconds ? seconds : undefined;
}

/** @throws TransportError for a way of compression that was not requested. */
function createDecompress(header: string | undefined): Transform | undefined {
  const encoding = header?.trim().toLowerCase() ?? '';
  if (encoding === '' || encoding === 'identity') return undefined;
  if (encoding === 'gzip' || encoding === 'x-gzip') return createGunzip();
  if (encoding === 'br') return createBrotliDecompress();
  throw new TransportError('SUBREQUEST_MALFORMED_RESPONSE', 'a response in an encoding other than gzip and br');
}
