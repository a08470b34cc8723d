import { IncomingMessage, ServerResponse } from 'node:http';
import { Socket } from 'node:net';
import cors from 'cors';
import helmet from 'helmet';

/** What a script in a browser may read of a response beyond the few headers that are always readable. */
const exposedHeaders = [
  'ETag',
  'RateLimit-Limit',
  'RateLimit-Remaining',
  'RateLimit-Reset',
  'RateLimit-Policy',
  'Retry-After',
  'WWW-Authenticate',
  'X-Request-Id',
];

/** Browsers may call from any origin: credentials travel in Authorization, never in cookies. */
export const answerCors = cors({
  origin: '*',
  methods: ['GET', 'HEAD', 'POST', 'OPTIONS'],
  exposedHeaders,
  maxAge: 86_400,
  preflightContinue: true,
});

const answerSecurityHeaders = helmet({
  // Nothing here is a page; the few pages there are bring a policy of their own.
  contentSecurityPolicy: {
    useDefaults: false,
    directives: { 'default-src': ["'none'"], 'frame-ancestors': ["'none'"] },
  },
});

type Middleware = (request: IncomingMessage, response: ServerResponse, next: () => void) => void;

/** The headers that stand on every response whatever it is, as name, value, name, value: what helmet answers to any request. */
export const securityHeaders: readonly string[] = recordHeaders(answerSecurityHeaders);

/** Those of the API, which scripts of any origin may read: what cors answers comes on top. */
export const standingHeaders: readonly string[] = recordHeaders(answerSecurityHeaders, answerCors);

/** Asked once at start instead of each time. */
function recordHeaders(...middleware: Middleware[]): string[] {
  const request = new IncomingMessage(new Socket());
  request.method = 'GET';
  const response = new ServerResponse(request);
  for (const answer of middleware) answer(request, response, () => undefined);
  return response.getHeaderNames().flatMap((name) => [name, String(response.getHeader(name))]);
}
