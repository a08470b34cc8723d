import type { Request, RequestHandler, Router } from 'express';
import type { Authenticator } from '../auth/authenticator';
import type { TokenEndpoint } from '../auth/oauth/token-endpoint';
import type { Graph } from '../graph/graph';
import type { RateLimiter } from '../rate-limit/rate-limiter';

/** Something the log should hold. `error` is for the log alone: it may carry what must not leave. */
export interface HttpLogEntry {
  readonly level: 'error' | 'warn' | 'info';
  readonly message: string;
  readonly error?: unknown;
  readonly method?: string;
  /** Without the query. */
  readonly path?: string;
}

export type HttpLog = (entry: HttpLogEntry) => void;

/** What the service says about itself to who runs it. */
export interface HealthReport {
  readonly ready: boolean;
  /** By name: the database, migrations, … */
  readonly checks: Readonly<Record<string, unknown>>;
}

/** Whether a call may go on without a credential. Asked only when it brings none. */
export type IsPublicRequest = (request: Request) => boolean | Promise<boolean>;

/** Everything the HTTP face is made of; src/app.ts builds it. */
export interface HttpDependencies {
  /** Origin in documents and links (D17). */
  readonly publicUrl: string;
  readonly authenticator: Authenticator;
  readonly rateLimiter: RateLimiter;
  readonly graph: Graph;
  readonly tokenEndpoint: TokenEndpoint;
  /** Public documents by their path below /.well-known/ (D17), such as `jwks.json`. */
  readonly wellKnownDocuments: Readonly<Record<string, object>>;
  /** Answers GET and POST /graphql behind the access steps; the caller is `findPrincipal(response)`. */
  readonly graphqlMiddleware: RequestHandler;
  /** Which calls of /graphql need no credential (D26). Asked only when a call brings none. */
  readonly isPublicGraphqlRequest: IsPublicRequest;
  /** Pages for people, outside production. */
  readonly explorer?: Router;
  /** False once the process is draining. */
  readonly health: () => Promise<HealthReport>;
  readonly metrics?: RequestHandler;
  readonly log: HttpLog;
  /** How many proxies stand in front: that many entries of X-Forwarded-For are believed. */
  readonly trustedProxies: number;
  /** A request that has no answer by then gets 503. */
  readonly requestTimeoutMilliseconds: number;
}
