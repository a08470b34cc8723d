import { IncomingMessage, ServerResponse } from 'node:http';
import { Socket } from 'node:net';
import helmet from 'helmet';

/** Headers that a script in a browser may read, besides the few that are always readable. */
const exposedHeaders = [
  'ETag',
  'Ignored-Parameters',
  'RateLimit-Limit',
  'RateLimit-Remaining',
  'RateLimit-Reset',
  'RateLimit-Policy',
  'RateLimit',
  'Retry-After',
  'WWW-Authenticate',
  'X-Request-Id',
];

const answerSecurityHeaders = helmet({
  // No response here is a page; the few pages have policies of their own.
  contentSecurityPolicy: {
    useDefaults: false,
    directives: { 'default-src': ["'none'"], 'frame-ancestors': ["'none'"] },
  },
});

/** The headers of every response, as name, value, name, value: those that helmet sets on any request. */
export const securityHeaders: readonly string[] = recordSecurityHeaders();

/**
 * Those of the API. Browsers may call from any origin: credentials are sent in Authorization, never in cookies.
 */
export const standingHeaders: readonly string[] = [
  ...securityHeaders,
  ...['access-control-allow-origin', '*'],
  ...['access-control-expose-headers', exposedHeaders.join(',')],
];

/** What a browser asks before a call from another origin (Fetch, "CORS-preflight"): any header may be sent. */
export function preflightHeaders({ headers }: IncomingMessage): readonly string[] {
  const asked = headers['access-control-request-headers'];
  return [
    ...['Access-Control-Allow-Methods', 'GET,HEAD,POST,OPTIONS', 'Access-Control-Max-Age', '86400'],
    ...(asked === undefined ? [] : ['Access-Control-Allow-Headers', asked]),
    ...['Vary', 'Access-Control-Request-Headers'],
  ];
}

/** Computed once at start instead of per request. */
function recordSecurityHeaders(): string[] {
  const request = new IncomingMessage(new Socket());
  const response = new ServerResponse(request);
  answerSecurityHeaders(request, response, () => undefined);
  return response.getHeaderNames().flatMap((name) => [name, String(response.getHeader(name))]);
}
