import type { Request, RequestHandler, Router } from 'express';
import type { Authenticator } from '../auth/authenticator';
import type { TokenEndpoint } from '../auth/oauth/token-endpoint';
import type { Principal } from '../auth/principal';
import type { Graph } from '../graph/graph';
import type { Metrics } from '../observability/metrics';
import type { HealthReport } from '../observability/readiness';
import type { RateLimiter } from '../rate-limit/rate-limiter';

/** The graph for a router elsewhere. */
export interface SubgraphEndpoint {
  /** Answers POST /subgraph behind the access steps. */
  readonly middleware: RequestHandler;
  readonly secret: string;
}

/** Something the log should hold. `error` is for the log alone: it may carry what must not leave. */
export interface HttpLogEntry {
  readonly level: 'error' | 'warn' | 'info';
  readonly message: string;
  readonly error?: unknown;
  readonly requestId?: string | undefined;
}

export type HttpLog = (entry: HttpLogEntry) => void;

/** A request from its first byte to its last: nothing of it but what may be logged and counted (D25). */
export interface EndedRequest {
  readonly requestId: string;
  readonly method: string;
  /** See routes.ts. */
  readonly operation: string;
  readonly status: number;
  readonly seconds: number;
  readonly principal?: Principal | undefined;
  readonly traceId?: string | undefined;
  /** The connection ended before the response did. */
  readonly isCutOff?: boolean;
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
  /** The description of the REST operations, served at /v1/openapi.json. */
  readonly openApiDocument: object;
  /** Answers GET and POST /graphql behind the access steps; the caller is `findPrincipal(response)`. */
  readonly graphqlMiddleware: RequestHandler;
  /** Lets GraphQL operations begin in turn by shop; stands in front of what answers them. */
  readonly takeTurn: RequestHandler;
  /** Which calls of /graphql need no credential (D26). Asked only when a call brings none. */
  readonly isPublicGraphqlRequest: IsPublicRequest;
  /** The graph as a part of a larger one; there only when a secret for routers is set. */
  readonly subgraph?: SubgraphEndpoint | undefined;
  /** Pages for people, outside production. */
  readonly explorer?: Router;
  /** False once the process is draining. */
  readonly health: () => Promise<HealthReport>;
  /** Left out where the API's port does not have them. */
  readonly metrics?: Pick<Metrics, 'contentType' | 'read'>;
  readonly log: HttpLog;
  /** Told of every request once, when it is over. */
  readonly onRequestEnded: (request: EndedRequest) => void;
  /** Whether responses carry Server-Timing. */
  readonly showsTimings: boolean;
  /** How many proxies stand in front: that many entries of X-Forwarded-For are believed. */
  readonly trustedProxies: number;
  /** A request that has no answer by then gets 503. */
  readonly requestTimeoutMilliseconds: number;
  /** What an operation on /graphql gets on top where it may wait for other teams' services; undefined where it never does. */
  readonly subgraphTimeoutMilliseconds: number | undefined;
}
