import { Agent, request } from 'node:http';
import { findOperation, findViolations } from './openapi-validator';

export interface RestAnswer {
  readonly status: number;
  /** Names in lowercase. */
  readonly headers: Readonly<Record<string, string | string[] | undefined>>;
  /** As they arrived, in whatever encoding. */
  readonly bytes: Buffer;
  readonly text: string;
  /** Parsed; undefined if there is none. */
  readonly body: unknown;
}

export interface RestCall {
  readonly method?: string;
  readonly headers?: Readonly<Record<string, string | readonly string[]>>;
  readonly body?: string | Buffer;
}

export interface RestClient {
  /** @param target Path and query below the origin, sent as it is. */
  call(target: string, call?: RestCall): Promise<RestAnswer>;
  /** GET below /v1. */
  get(target: string, headers?: RestCall['headers']): Promise<RestAnswer>;
  /** `operationId status` of every response received. */
  readonly seen: ReadonlySet<string>;
}

const rateLimitHeaders = ['ratelimit-limit', 'ratelimit-remaining', 'ratelimit-reset', 'ratelimit-policy', 'ratelimit'];

/**
 * Sends real HTTP and checks every response below /v1 against rest/openapi.yaml (status, headers, body), and those that
 * belong to no operation against the error envelope. A response that does not conform fails the call.
 */
export function createRestClient(origin: string, credential?: string): RestClient {
  const seen = new Set<string>();
  const call = async (target: string, options: RestCall = {}): Promise<RestAnswer> => {
    const answer = await exchange(origin, target, {
      ...options,
      headers: { ...(credential === undefined ? {} : { Authorization: `Bearer ${credential}` }), ...options.headers },
    });
    const path = /^\/v1(\/[^?]*)/.exec(target)?.[1];
    if (path !== undefined) check(options.method ?? 'GET', path, answer);
    return answer;
  };

  const check = (method: string, path: string, answer: RestAnswer): void => {
    const missing = rateLimitHeaders.filter((name) => typeof answer.headers[name] !== 'string');
    const operation = findOperation(path);
    const problems = missing.map((name) => `${name} is missing (D19)`);
    if (method === 'GET' && operation !== undefined) {
      seen.add(`${operation.operationId} ${answer.status}`);
      problems.push(...findViolations(operation, answer), ...findPageViolations(answer.body));
    } else if (method !== 'HEAD' && answer.status >= 400) problems.push(...findEnvelopeViolations(answer));
    if (problems.length > 0)
      throw new Error(`${method} ${path} → ${answer.status}: ${problems.join('; ')}\n${answer.text}`);
  };

  return { call, get: (target, headers = {}) => call(`/v1${target}`, { headers }), seen };
}

/** A cursor exactly if there is another page: JSON Schema can hardly express it. */
function findPageViolations(body: unknown): string[] {
  if (typeof body !== 'object' || body === null || !('has_more' in body && 'next_cursor' in body)) return [];
  return body.has_more === (body.next_cursor !== null) ? [] : ['next_cursor and has_more disagree'];
}

function findEnvelopeViolations({ headers, body }: RestAnswer): string[] {
  const problems = headers['content-type'] === 'application/json' ? [] : ['Content-Type is not application/json'];
  const { error, ...others } = (body ?? {}) as { error?: { code?: unknown; message?: unknown } };
  const isEnvelope = typeof error?.code === 'string' && typeof error.message === 'string';
  return isEnvelope && Object.keys(others).length === 0 ? problems : [...problems, 'body is not the error envelope'];
}

const agent = new Agent({ keepAlive: false });

/** The token of a key, with all its scopes or those given. */
export async function mintToken(
  origin: string,
  { clientId, clientSecret }: { readonly clientId: string; readonly clientSecret: string },
  scope?: string,
): Promise<string> {
  const { body } = await exchange(origin, '/oauth/token', {
    method: 'POST',
    headers: {
      Authorization: `Basic ${Buffer.from(`${clientId}:${clientSecret}`).toString('base64')}`,
      'Content-Type': 'application/x-www-form-urlencoded',
    },
    body: new URLSearchParams({ grant_type: 'client_credentials', ...(scope && { scope }) }).toString(),
  });
  return (body as { access_token: string }).access_token;
}

/** One exchange over a separate connection. */
export function exchange(
  origin: string,
  target: string,
  { method = 'GET', headers = {}, body }: RestCall,
): Promise<RestAnswer> {
  const { hostname, port } = new URL(origin);
  return new Promise((resolve, reject) => {
    const outgoing = request(
      { agent, hostname, port, path: target, method, headers: headers as Record<string, string | string[]> },
      (incoming) => {
        const chunks: Buffer[] = [];
        incoming.on('data', (chunk: Buffer) => chunks.push(chunk));
        incoming.on('error', reject);
        incoming.on('end', () => {
          const bytes = Buffer.concat(chunks);
          const text = bytes.toString();
          const { 'content-type': type = '', 'content-encoding': encoding } = incoming.headers;
          const isJson = type.startsWith('application/json') && encoding === undefined && text !== '';
          resolve({
            status: incoming.statusCode ?? 0,
            headers: incoming.headers,
            bytes,
            text,
            body: isJson ? (JSON.parse(text) as unknown) : undefined,
          });
        });
      },
    );
    outgoing.on('error', reject);
    outgoing.end(body);
  });
}

/** All operations that a service has answered: from the cache, computed, or unchanged at the client. */
export async function countAnswers(origin: string): Promise<number> {
  const { text } = await exchange(origin, '/metrics', {});
  return [...text.matchAll(/^answer_cache_requests_total\{.*\} (\d+)$/gm)].reduce((sum, [, n]) => sum + Number(n), 0);
}
