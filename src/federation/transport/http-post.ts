import type { IncomingMessage } from 'node:http';
import { Agent, request as requestHttp } from 'node:http';
import { Agent as SecureAgent, request as requestHttps } from 'node:https';
import { pipeline } from 'node:stream';
import { createBrotliDecompress, createGunzip } from 'node:zlib';
import { TransportError } from './transport-error';

export interface HttpPost {
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
  readonly signal: AbortSignal;
}

export interface HttpResponse {
  readonly status: number;
  /** Without parameters, in lower case; undefined where the header is missing. */
  readonly mediaType: string | undefined;
  /** Retry-After in seconds (RFC 9110 10.2.3), within a day; undefined where it is missing, a date or anything else. */
  readonly retryAfterSeconds: number | undefined;
  /** Decompressed. @throws TransportError when it is compressed in a way that was not requested. */
  body(): AsyncIterable<Uint8Array>;
  /** Drops the body and the connection. */
  discard(): void;
}

const agent = new Agent({ keepAlive: true });
const secureAgent = new SecureAgent({ keepAlive: true });

/** Interim responses (1xx) before the final one; each costs the sender next to nothing. */
const maxInterimResponses = 8;

/**
 * Sends a POST and resolves with the head of the response. Uses node:http, not `fetch`, which follows redirects, and
 * decompresses any chain of encodings in a response. Redirects are treated like other responses.
 * @throws TransportError when there is no response; the signal's reason when it was aborted.
 */
export function postHttp({ url, headers, body, signal }: HttpPost): Promise<HttpResponse> {
  const address = new URL(url);
  const isSecure = address.protocol === 'https:';
  return new Promise((resolve, reject) => {
    const fail = (cause?: unknown): void =>
      reject(
        signal.aborted
          ? (signal.reason as Error)
          : new TransportError('SUBREQUEST_HTTP_ERROR', 'connection failed', { cause, isRetryable: true }),
      );
    if (signal.aborted) return fail();
    const request = (isSecure ? requestHttps : requestHttp)(
      address,
      {
        method: 'POST',
        agent: isSecure ? secureAgent : agent,
        headers: { ...headers, 'accept-encoding': 'gzip, br', 'content-length': Buffer.byteLength(body) },
        signal,
      },
      (response) => resolve(toHttpResponse(response)),
    );
    let interim = 0;
    request.on('information', () => {
      interim += 1;
      if (interim > maxInterimResponses) request.destroy(new Error('too many interim responses'));
    });
    request.once('error', fail);
    // Also called after a protocol switch, which is not an error to node:http. Has no effect once there is a response.
    request.once('close', fail);
    request.end(body);
  });
}

const toHttpResponse = (response: IncomingMessage): HttpResponse => ({
  status: response.statusCode ?? 0,
  mediaType: response.headers['content-type']?.split(';', 1)[0]?.trim().toLowerCase(),
  retryAfterSeconds: toSeconds(response.headers['retry-after']),
  body: () => decompressed(response),
  discard: () => void response.destroy(),
});

const longestWaitSeconds = 86_400;

function toSeconds(text: string | undefined): number | undefined {
  const seconds = /^\d{1,6}$/.test(text ?? '') ? Number(text) : Infinity;
  return seconds <= longestWaitSeconds ? seconds : undefined;
}

function decompressed(response: IncomingMessage): AsyncIterable<Uint8Array> {
  const encoding = response.headers['content-encoding']?.trim().toLowerCase();
  if (encoding === undefined || encoding === 'identity' || encoding === '') return response;
  const decompress =
    encoding === 'gzip' || encoding === 'x-gzip'
      ? createGunzip()
      : encoding === 'br'
        ? createBrotliDecompress()
        : undefined;
  if (decompress === undefined) {
    response.destroy();
    throw new TransportError('SUBREQUEST_MALFORMED_RESPONSE', 'a response in an encoding other than gzip and br');
  }
  // Errors in transit are thrown to the reader of the result.
  return pipeline(response, decompress, () => undefined);
}
