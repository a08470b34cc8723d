import type { Request, RequestHandler, Response } from 'express';
import type { Authenticator } from '../auth/authenticator';
import type { TokenEndpoint } from '../auth/oauth/token-endpoint';
import type { Principal } from '../auth/principal';
import type { ExportShape } from '../catalog/export/export-csv';
import type { ExportRequest } from '../catalog/export/export-shop';
import type { Graph } from '../graph/create-graph';
import type { ApiError } from '../errors/api-error';
import type { WaitingOptions } from './endpoints/changes/waiting-clients';
import type { RunDocument } from './endpoints/mcp/tools';
import type { Log } from '../observability/log';
import type { ExportOutcome, Metrics } from '../observability/metrics';
import type { HealthReport } from '../observability/readiness';
import type { ObserverOptions, TimeLimits } from './request/request';
import type { RateLimiter } from '../rate-limit/rate-limiter';

/** The pages for trying GraphQL. */
export interface ExplorerOptions {
  /** The key that pages start with; undefined without a demo shop. */
  readonly demoApiKey: string | undefined;
}

/** Exports of whole shops. */
export interface ExportEndpoint {
  readonly start: (call: ExportCall, shape: ExportShape) => AsyncGenerator<Buffer, void, void>;
  /** Maximum number of concurrent exports in this process: each has a database connection. */
  readonly maximum: number;
  /** Called for each export. @returns a function to call with its outcome */
  readonly onStarted: () => (outcome: ExportOutcome) => void;
}

/** Tools for models. */
export interface McpEndpoint {
  /** Version of the service. */
  readonly version: string;
  readonly documents: ReadonlyMap<string, string>;
  readonly runDocument: RunDocument;
}

/** Clients that wait for changes. */
export interface ChangesEndpoint extends WaitingOptions {
  /** Called for each client that waits. @returns a function to call when it stops waiting */
  readonly onWaiting: () => () => void;
  /** Called for each page of a call after the first. */
  readonly onFurtherPage: (principal: Principal) => void;
}

type ExportCall = Omit<ExportRequest, 'url' | 'cursors' | 'tables' | 'format'>;

/** The graph as a subgraph of an external router. */
export interface SubgraphEndpoint {
  /** Answers POST /subgraph after the access steps. */
  readonly middleware: RequestHandler;
  readonly secret: string;
}

/** Whether a call may continue without a credential. Called only if the call has none. */
export type IsPublicRequest = (request: Request) => boolean | Promise<boolean>;

/**
 * Waits until an operation may start. It ends when its response is made, or when the client disconnects.
 * @returns false when it need not start: the response was already 503 (request.ts), or the client has disconnected
 * @throws ApiError SERVICE_UNAVAILABLE when too many wait
 */
export type WaitForSlot = (request: Request, response: Response) => Promise<boolean>;

/** Dependencies of every surface. */
export interface HttpCore extends ObserverOptions, TimeLimits {
  readonly rateLimiter: RateLimiter;
  /** What /readyz reports. */
  readonly health: () => Promise<HealthReport>;
  /** Omitted if the port for clients does not serve metrics. */
  readonly metrics?: Pick<Metrics, 'contentType' | 'read'>;
  readonly log: Log;
  /** The headers of a refusal that another credential may change (D16). */
  readonly challengeOf: (error: ApiError, target: string) => Readonly<Record<string, string>>;
  /** For an error about a path that does not exist: where to continue. */
  readonly whereToLook: string;
  /** How many proxies are in front: that many entries of X-Forwarded-For are trusted. */
  readonly trustedProxies: number;
}

/** How /graphql is answered. */
export interface GraphqlEndpoint {
  /** Identify the caller, and admit or refuse the call. */
  readonly access: readonly RequestHandler[];
  /** Schedules operations; runs before their handlers. */
  readonly waitForSlot: WaitForSlot;
  /** Answers GET and POST. */
  readonly middleware: RequestHandler;
}

/** Everything that the surfaces of the catalog are built from; src/app.ts builds it. */
export interface HttpDependencies extends HttpCore {
  /**
   * Where clients reach the service, in documents and links: an origin, and a path if a proxy adds one (D17).
   */
  readonly publicUrl: string;
  readonly authenticator: Authenticator;
  readonly graph: Graph;
  readonly tokenEndpoint: TokenEndpoint;
  /** Public documents by their path below /.well-known/ (D17), such as `jwks.json`. */
  readonly wellKnownDocuments: Readonly<Record<string, object>>;
  /** The description of the REST operations, served at /v1/openapi.json. */
  readonly openApiDocument: object;
  /** Answers GET and POST /graphql after the access steps; the caller is `response.locals.principal`. */
  readonly graphqlMiddleware: RequestHandler;
  /** Schedules GraphQL operations round robin over shops; runs before their handlers. */
  readonly waitForSlot: WaitForSlot;
  /** Disk limit for temporary files of responses. */
  readonly maximumTemporaryBytes: number;
  /** Which calls of /graphql need no credential (D26). Called only if a call has none. */
  readonly isPublicGraphqlRequest: IsPublicRequest;
  /** The graph as a part of a larger one; present only if a secret for routers is set. */
  readonly subgraph?: SubgraphEndpoint | undefined;
  /** Handler of GET /export; undefined if the settings disable exports. */
  readonly exports?: ExportEndpoint | undefined;
  /** Handler of POST /mcp; undefined if a setting disables it. */
  readonly mcp?: McpEndpoint | undefined;
  /** Handler of GET /changes; undefined if the settings disable waiting clients. */
  readonly changes?: ChangesEndpoint | undefined;
  /** Outside production. */
  readonly explorer?: ExplorerOptions;
  /** The front page, the reference and the dashboard; undefined if a setting disables them. */
  readonly reference?: ExplorerOptions;
}
