import type { LookupAddress } from 'node:dns';
import { lookup } from 'node:dns';
import type { FileHandle } from 'node:fs/promises';
import type { IncomingMessage, RequestOptions } from 'node:http';
import { Agent, request as requestHttp } from 'node:http';
import { Agent as SecureAgent, request as requestHttps } from 'node:https';
import { isIP } from 'node:net';
import type { LookupFunction } from 'node:net';
import type { z } from 'zod';
import { toOneLine } from '../../common/one-line';
import { parseJson } from '../../common/parse-json';
import { toTerminalText } from '../../common/terminal';
import { AdministrationError } from '../../errors/administration-error';
import { maskAddresses } from '../../privacy/addresses';
import { isTooDeep } from '../values/json-line';
import { isPrivateAddress } from './private-address';
import { isUrl } from '../../common/is-url';

export interface PlatformClientOptions {
  /** Allows loopback and private IP addresses, and plain http. */
  readonly allowPrivate: boolean;
  readonly followRedirects: boolean;
  /** Resolves after a delay. */
  readonly wait: (milliseconds: number) => Promise<unknown>;
  readonly log: (line: string) => void;
  readonly limits?: typeof pullLimits | undefined;
}

interface PlatformRequest {
  readonly url: URL;
  /** Contain the credential, so no redirect to another origin is followed. */
  readonly headers?: Readonly<Record<string, string>>;
  /** Sent as JSON, by POST. */
  readonly body?: unknown;
  /** What to do about an error response, by status. */
  readonly advice?: Readonly<Record<number, string>>;
}

export interface JsonAnswer<Value> {
  readonly value: Value;
  readonly headers: IncomingMessage['headers'];
}

/**
 * An error that ends the pull, for the person who started it.
 * @param place the host, file or platform with the problem
 */
export const pullFailure = (place: string, message: string): AdministrationError =>
  new AdministrationError('PULL_FAILED', `${place}: ${message}`);

/** An error response that a retry would not change. */
export class RefusedByPlatform extends AdministrationError {
  constructor(
    readonly status: number,
    message: string,
  ) {
    super('PULL_FAILED', message);
  }
}

/** A failure that may not recur when the request is retried. */
class TransientFailure extends Error {
  constructor(
    message: string,
    /** Milliseconds of Retry-After; 0 without it. */
    readonly retryAfter = 0,
  ) {
    super(message);
  }
}

/** Attempts per request, with waits that double from one second: up to two minutes in total. */
const attempts = 8;
const longestBackoffMilliseconds = 60_000;
/** The longest Retry-After that is waited for. A longer one ends the pull. */
const longestWaitMilliseconds = 15 * 60_000;

/** Responses are held in memory. A page of 100 objects is less than 1 MB. */
const maxAnswerBytes = 64 * 1024 * 1024;

/** A request fails after this time without data. */
const idleTimeoutMilliseconds = 60_000;

/** A file of a million products is smaller. A request that takes longer is retried, and resumes. */
const pullLimits = { fileBytes: 16 * 1024 ** 3, requestMilliseconds: 15 * 60_000 };

const maxRedirects = 5;

/**
 * Sends requests to a platform. Refuses private addresses, plain http and redirects unless they are allowed. Retries
 * after transient failures (408, 425, 429, most 5xx, broken connections) and a pause, which Retry-After may lengthen.
 * Messages contain neither credentials nor query strings.
 */
export class PlatformClient {
  constructor(private readonly options: PlatformClientOptions) {}

  get limits(): typeof pullLimits {
    return this.options.limits ?? pullLimits;
  }

  /**
   * Sends a request and validates the response by the schema.
   * @throws AdministrationError when all attempts fail or the response is invalid; RefusedByPlatform for a status other
   * than 2xx
   */
  json<Schema extends z.ZodType>(request: PlatformRequest, schema: Schema): Promise<JsonAnswer<z.output<Schema>>> {
    return this.#again(request.url, async () => {
      const response = await this.#send(request);
      const text = await readText(response, request.url);
      if (!isSuccess(response) || isPartial(response)) throw refusal(response, request, text);
      return { value: parse(text, request.url, schema), headers: response.headers };
    });
  }

  /**
   * Downloads the body to an empty file. An interrupted transfer resumes if the server supports ranges; a part other
   * than the requested one is refused.
   * @param size in bytes, if the platform reported it
   */
  async download({ url }: PlatformRequest, file: FileHandle, size?: number): Promise<void> {
    let written = 0;
    let etag: string | undefined;
    let expected: number | undefined;
    await this.#again(url, async () => {
      const rest = written > 0 && etag !== undefined ? { Range: `bytes=${written}-`, 'If-Range': etag } : undefined;
      const response = await this.#send({ url }, rest);
      if (isPartial(response)) expected = rest && fileSizeOf(response, written, rest['If-Range']);
      else if (response.statusCode === 200) [written, expected] = [0, size];
      else throw refusal(response, { url }, await readText(response, url));
      if (isPartial(response) && (expected === undefined || expected !== (size ?? expected))) {
        response.destroy();
        throw pullFailure(url.host, 'returned a different part of the file than requested');
      }
      await file.truncate(written);
      etag = strongTag(response);
      try {
        for await (const chunk of response as AsyncIterable<Buffer>) {
          await file.write(chunk, 0, chunk.length, written);
          written += chunk.length;
          if (written > Math.min(expected ?? Infinity, this.limits.fileBytes)) break;
        }
      } catch (error) {
        throw new TransientFailure(`the transfer was interrupted after ${written} bytes (${reasonOf(error)})`);
      }
      if (written > this.limits.fileBytes) throw tooLong(url, this.limits.fileBytes);
      if (expected !== undefined && written !== expected) {
        etag = undefined;
        throw new TransientFailure(`expected ${expected} bytes, got ${written}`);
      }
    });
  }

  async #again<Result>(url: URL, run: () => Promise<Result>): Promise<Result> {
    for (let attempt = 1; ; attempt += 1) {
      try {
        return await run();
      } catch (error) {
        if (!(error instanceof TransientFailure)) throw error;
        const { message, retryAfter } = error;
        const waitMilliseconds = Math.max(retryAfter, backoff(attempt));
        if (attempt === attempts) throw pullFailure(url.host, `${message} after ${attempts} attempts; try again later`);
        if (waitMilliseconds > longestWaitMilliseconds)
          throw pullFailure(url.host, `${message}; try again in ${Math.ceil(waitMilliseconds / 60_000)} minutes`);
        this.options.log(`${url.host}: ${message}; retrying in ${Math.ceil(waitMilliseconds / 1000)} s`);
        await this.options.wait(waitMilliseconds);
      }
    }
  }

  async #send(request: PlatformRequest, range?: Record<string, string>): Promise<IncomingMessage> {
    let { url } = request;
    for (let redirects = 0; ; redirects += 1) {
      const response = await this.#open({ ...request, url, headers: { ...request.headers, ...range } });
      const target = redirectOf(response, url);
      if (target === undefined) return response;
      response.destroy();
      // Another origin gets no credential, and would refuse a request without it.
      const mayFollow =
        request.body === undefined && (request.headers === undefined || target.origin === request.url.origin);
      if (!mayFollow || !this.options.followRedirects) {
        const advice = mayFollow ? 'allow redirects with --follow-redirects' : 'set --url to that URL without the API path'; // prettier-ignore
        throw pullFailure(url.host, `redirects to ${target.origin}${target.pathname}: ${advice}`);
      }
      if (redirects === maxRedirects) throw pullFailure(url.host, `more than ${maxRedirects} redirects`);
      url = target;
    }
  }

  #open({ url, headers, body }: PlatformRequest): Promise<IncomingMessage> {
    const isSecure = url.protocol === 'https:';
    const host = url.hostname.replace(/^\[(.*)\]$/, '$1');
    const { allowPrivate } = this.options;
    const { requestMilliseconds } = this.limits;
    if (!isSecure && (!allowPrivate || url.protocol !== 'http:')) {
      throw pullFailure(url.origin, 'expected an https URL: the credential must not be sent over plain http');
    }
    if (!allowPrivate && isIP(host) > 0 && isPrivateAddress(host)) throw privateAddress(host, host);
    const text = body === undefined ? undefined : JSON.stringify(body);
    return new Promise((resolve, reject) => {
      const options: RequestOptions = {
        method: text === undefined ? 'GET' : 'POST',
        agent: isSecure ? secureAgent : agent,
        headers: {
          Accept: 'application/json',
          'User-Agent': 'catalog-pull',
          ...headers,
          ...(text !== undefined && { 'Content-Type': 'application/json', 'Content-Length': Buffer.byteLength(text) }),
        },
        timeout: idleTimeoutMilliseconds,
        // Also limits the time to read the body.
        signal: AbortSignal.timeout(requestMilliseconds),
        // A host name may resolve to a private address at any time, so every connection is checked.
        ...(!allowPrivate && { lookup: lookupPublic }),
      };
      const request = (isSecure ? requestHttps : requestHttp)(url, options, (response) => {
        // Node.js would replace the reason by "aborted".
        request.once('error', (error) => response.destroy(error));
        resolve(response);
      });
      request.once('timeout', () =>
        request.destroy(new Error(`no data received for ${idleTimeoutMilliseconds / 1000} s`)),
      );
      request.once('error', (error: NodeJS.ErrnoException) =>
        reject(
          error instanceof AdministrationError
            ? error
            : isPermanent(error)
              ? pullFailure(url.host, reasonOf(error))
              : new TransientFailure(reasonOf(error)),
        ),
      );
      request.end(text);
    });
  }
}

const agent = new Agent({ keepAlive: true });
const secureAgent = new SecureAgent({ keepAlive: true });

const lookupPublic: LookupFunction = (host, options, callback) => {
  lookup(host, { ...options, all: true }, (error, addresses: LookupAddress[]) => {
    const [first] = addresses ?? [];
    const refused = addresses?.find(({ address }) => isPrivateAddress(address));
    if (error) callback(error, '', 0);
    else if (refused !== undefined) callback(privateAddress(host, refused.address), '', 0);
    else if (options.all === true) callback(null, addresses);
    else callback(null, first?.address ?? '', first?.family ?? 0);
  });
};

const privateAddress = (host: string, address: string) =>
  pullFailure(
    host,
    `${address === host ? 'is' : `resolves to ${address},`} a loopback or private IP address: ` +
      'pass --allow-private if the shop is hosted there',
  );

/** An unknown host or an invalid certificate: retrying does not help. */
const isPermanent = ({ code }: NodeJS.ErrnoException): boolean =>
  code !== undefined && /^(ENOTFOUND|CERT_|ERR_TLS_|UNABLE_TO_|SELF_SIGNED|DEPTH_ZERO)/.test(code);

const reasonOf = (error: unknown): string => {
  const { code, message } = error as NodeJS.ErrnoException;
  if (code === 'ABORT_ERR') return `no complete response within ${pullLimits.requestMilliseconds / 60_000} minutes`;
  if (code === undefined || message.includes(code)) return message;
  // Failed connections to several IP addresses are one error without a message.
  return message === '' ? code : `${code}: ${message}`;
};

const isSuccess = ({ statusCode = 0 }: IncomingMessage): boolean => statusCode >= 200 && statusCode < 300;

const isPartial = ({ statusCode, headers }: IncomingMessage): boolean =>
  statusCode === 206 || (statusCode === 200 && headers['content-range'] !== undefined);

/** The size of the whole file, if the response is its remainder starting at `from`; otherwise undefined. */
function fileSizeOf({ statusCode, headers }: IncomingMessage, from: number, tag: string): number | undefined {
  const [, start, end, size] = /^bytes (\d{1,15})-(\d{1,15})\/(\d{1,15})$/.exec(headers['content-range'] ?? '') ?? [];
  const isRest = Number(start) === from && Number(end) + 1 === Number(size) && (headers.etag ?? tag) === tag;
  return statusCode === 206 && isRest ? Number(size) : undefined;
}

function redirectOf({ statusCode = 0, headers }: IncomingMessage, url: URL): URL | undefined {
  if (statusCode < 300 || statusCode > 399 || headers.location === undefined) return undefined;
  if (!isUrl(headers.location, url.href))
    throw pullFailure(url.host, 'returned a redirect without a valid Location header');
  return new URL(headers.location, url);
}

const transientStatuses: ReadonlySet<number> = new Set([408, 425, 429, 500, 502, 503, 504, 520, 521, 522, 523, 524]);

function refusal({ statusCode = 0, headers }: IncomingMessage, { url, advice }: PlatformRequest, text: string): Error {
  const said = messageIn(text);
  const answer = `returned ${statusCode}${said === '' ? '' : ` (${said})`}`;
  if (transientStatuses.has(statusCode)) return new TransientFailure(answer, retryAfterOf(headers['retry-after']));
  const known = advice?.[statusCode];
  return new RefusedByPlatform(
    statusCode,
    `${url.host}: ${answer} for ${url.pathname}${known === undefined ? '' : `: ${known}`}`,
  );
}

/** Milliseconds of a Retry-After in seconds or as a date (RFC 9110 10.2.3); 0 if it is neither. */
function retryAfterOf(text = ''): number {
  if (/^\d{1,9}(\.\d{1,3})?$/.test(text)) return Number(text) * 1000;
  return Date.parse(text) - Date.now() || 0;
}

const backoff = (attempt: number): number =>
  Math.min(1000 * 2 ** (attempt - 1), longestBackoffMilliseconds) * (0.5 + Math.random() / 2);

async function readText(response: IncomingMessage, { host }: URL): Promise<string> {
  const chunks: Buffer[] = [];
  let length = 0;
  try {
    for await (const chunk of response as AsyncIterable<Buffer>) {
      length += chunk.length;
      if (length > maxAnswerBytes) break;
      chunks.push(chunk);
    }
  } catch (error) {
    throw new TransientFailure(`the response was interrupted (${reasonOf(error)})`);
  }
  if (length > maxAnswerBytes) throw pullFailure(host, `a response is larger than ${maxAnswerBytes} bytes`);
  // Without a byte order mark: files of WordPress plugins often begin with one, and so does each response then.
  return new TextDecoder().decode(Buffer.concat(chunks));
}

function parse<Schema extends z.ZodType>(text: string, { host, pathname }: URL, schema: Schema): z.output<Schema> {
  if (isTooDeep(text))
    throw pullFailure(host, `returned JSON for ${pathname} that is nested too deeply or has too many values`);
  const value = parseJson(text);
  if (value === undefined) throw new TransientFailure(`returned no JSON for ${pathname} (check --url)`);
  const { data, error } = schema.safeParse(value);
  if (error === undefined) return data;
  const [issue] = error.issues;
  throw pullFailure(host, `returned an unexpected response for ${pathname}${atOf(issue?.path)}: ${issue?.message}`);
}

const atOf = (path: readonly PropertyKey[] = []): string => (path.length === 0 ? '' : ` at ${path.join('.')}`);

export const tooLong = ({ host }: URL, bytes: number): AdministrationError =>
  pullFailure(
    host,
    `expected at most ${bytes} bytes per type, got more: leave the type out of --types, or use --since`,
  );

/** The message in a platform's error response, on one line. */
function messageIn(text: string): string {
  const { message, errors, error_description: description } = (parseJson(text) ?? {}) as Record<string, unknown>;
  const said = [message, errors, description].find((one) => typeof one === 'string') ?? '';
  return toTerminalText(toOneLine(maskAddresses(said))).slice(0, 200);
}

const strongTag = ({ headers: { etag } }: IncomingMessage): string | undefined =>
  etag === undefined || etag.startsWith('W/') ? undefined : etag;
