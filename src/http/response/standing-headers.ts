import { IncomingMessage, ServerResponse } from 'node:http';
import { Socket } from 'node:net';
import cors from 'cors';
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

/** Browsers may call from any origin: credentials are sent in Authorization, never in cookies. */
export const answerCors = cors({
  origin: '*',
  methods: ['GET', 'HEAD', 'POST', 'OPTIONS'],
  exposedHeaders,
  maxAge: 86_400,
  preflightContinue: true,
});

const answerSecurityHeaders = helmet({
  // No response here is a page; the few pages have policies of their own.
  contentSecurityPolicy: {
    useDefaults: false,
    directives: { 'default-src': ["'none'"], 'frame-ancestors': ["'none'"] },
  },
});

type Middleware = (request: IncomingMessage, response: ServerResponse, next: () => void) => void;

/** The headers of every response, as name, value, name, value: those that helmet sets on any request. */
export const securityHeaders: readonly string[] = recordHeaders(answerSecurityHeaders);

/** Those of the API, which scripts of any origin may read: includes what cors sets. */
export const standingHeaders: readonly string[] = recordHeaders(answerSecurityHeaders, answerCors);

/** Computed once at start instead of per request. */
function recordHeaders(...middleware: Middleware[]): string[] {
  const request = new IncomingMessage(new Socket());
  request.method = 'GET';
  const response = new ServerResponse(request);
  for (const answer of middleware) answer(request, response, () => undefined);
  return response.getHeaderNames().flatMap((name) => [name, String(response.getHeader(name))]);
}
