import type { IncomingHttpHeaders, IncomingMessage } from 'node:http';
import { Agent as HttpAgent, request as httpRequest } from 'node:http';
import { Agent as HttpsAgent, request as httpsRequest } from 'node:https';
import type { Transform } from 'node:stream';
import { createBrotliDecompress, createGunzip } from 'node:zlib';
import type { Cancellation } from '../../common/cancellation';
import { TransportError } from './transport-error';

interface HttpPost {
  readonly url: URL;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
  readonly cancellation: Cancellation;
  /**
   * Called with the head of the response. @returns a reader of the body, called with decompressed chunks
   * @throws TransportError to drop the response and its connection; the reader may do the same
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

/** Closes idle connections before most servers do. Time limits of requests are the caller's. */
const options = { keepAlive: true, timeout: 4_000 };
const plain = new HttpAgent(options);
const secure = new HttpsAgent(options);

/** Interim responses (1xx) before the final one; each costs the sender next to nothing. */
const maxInterimResponses = 8;

/**
 * Sends a POST and resolves when the body of the response has been read. Does not use `fetch`, which follows redirects
 * and decompresses any chain of encodings. Redirects are treated like other responses.
 * @throws TransportError when there is no complete response; the reason of the cancellation when it was canceled.
 */
export function postHttp({ url, headers, body, cancellation, onHead }: HttpPost): Promise<void> {
  if (cancellation.endReason !== undefined) return Promise.reject(cancellation.endReason);
  return new Promise((resolve, reject) => {
    let isSettled = false;
    let decompress: Transform | undefined;
    let interim = 0;
    const drop = (fault: Error): void => {
      if (isSettled) return;
      settle();
      reject(fault);
      decompress?.destroy();
      sent.destroy();
    };
    const settle = (): void => {
      isSettled = true;
      forget();
    };
    const fail = (error: Error): void => drop(broken('failed', error));
    // The only event after a protocol switch.
    const close = (): void => fail(new Error('closed'));
    const lose = (error: Error): void => drop(broken('lost', error));
    const read = (response: IncomingMessage): void => {
      sent.off('close', close);
      const take = onHead(toHead(response.statusCode ?? 0, response.headers));
      decompress = createDecompress(response.headers['content-encoding']);
      const content = decompress === undefined ? response : response.pipe(decompress).on('error', lose);
      content.on('data', orDrop(take)).on('end', () => {
        settle();
        resolve();
      });
      response.on('error', lose);
    };
    const orDrop =
      <Given>(work: (given: Given) => void) =>
      (given: Given): void => {
        try {
          if (!isSettled) work(given);
        } catch (thrown) {
          drop(thrown as Error);
        }
      };
    const isSecure = url.protocol === 'https:';
    const sent = (isSecure ? httpsRequest : httpRequest)(url, {
      method: 'POST',
      headers: { ...headers, 'accept-encoding': 'gzip, br', 'content-length': Buffer.byteLength(body) },
      agent: isSecure ? secure : plain,
    })
      .on('information', () => {
        interim += 1;
        if (interim > maxInterimResponses) fail(new Error('too many interim responses'));
      })
      .on('response', orDrop(read))
      .on('error', fail)
      .on('close', close);
    const forget = cancellation.onEnd(drop);
    sent.end(body);
  });
}

const broken = (what: 'failed' | 'lost', cause: NodeJS.ErrnoException): TransportError =>
  new TransportError('SUBREQUEST_HTTP_ERROR', `connection ${what} (${cause.code ?? cause.message})`, {
    cause,
    isRetryable: true,
  });

const toHead = (status: number, headers: IncomingHttpHeaders): HttpHead => ({
  status,
  mediaType: headers['content-type']?.split(';', 1)[0]?.trim().toLowerCase(),
  retryAfterSeconds: toSeconds(headers['retry-after']),
});

const longestWaitSeconds = 86_400;

function toSeconds(text: string | undefined): number | undefined {
  const seconds = /^\d{1,6}$/.test(text ?? '') ? Number(text) : Infinity;
  return seconds <= longestWaitSeconds ? seconds : undefined;
}

/** @throws TransportError for an encoding that was not requested. */
function createDecompress(header: string | undefined): Transform | undefined {
  const encoding = header?.trim().toLowerCase() ?? '';
  if (encoding === '' || encoding === 'identity') return undefined;
  if (encoding === 'gzip' || encoding === 'x-gzip') return createGunzip();
  if (encoding === 'br') return createBrotliDecompress();
  throw new TransportError('SUBREQUEST_MALFORMED_RESPONSE', 'a response in an encoding other than gzip or br');
}
