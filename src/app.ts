import type { RequestListener, Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { createAuthenticator } from './auth/authenticator';
import { loadCursorSecrets } from './auth/development-secrets';
import { createKeyReader } from './auth/key-reader';
import { createKeyUsage } from './auth/key-usage';
import { authorizationServerMetadata, protectedResourceMetadata, publicKeySet } from './auth/metadata';
import { createTokenEndpoint } from './auth/oauth/token-endpoint';
import { loadSigningKeys } from './auth/signing-keys';
import type { Clock } from './clock';
import { systemClock } from './clock';
import type { Config } from './config';
import type { Database } from './database/database';
import { createGraph } from './graph/create-graph';
import { createGraphqlServer } from './graph/graphql-server';
import { createLocalGateway } from './graph/local-gateway';
import { createHttpApp } from './http/create-http-app';
import { createHttpServer } from './http/create-http-server';
import { createDraining } from './http/draining';
import { exampleDocument } from './http/explorer/example-document';
import { createExplorerPages } from './http/explorer/explorer-pages';
import { createGraphqlHandler, createPublicGraphqlCheck } from './http/graphql-handler';
import type { HttpDependencies } from './http/http-dependencies';
import type { Log } from './log';
import { createMemoryRateLimiter } from './rate-limit/memory-rate-limiter';
import type { RateLimiter } from './rate-limit/rate-limiter';
import { createRedisRateLimiter } from './rate-limit/redis-rate-limiter';
import { release } from './release';

/** What the process brings that the configuration does not say. */
interface AppParts {
  readonly database: Database;
  readonly log: Log;
  readonly clock?: Clock;
  /** The demo shop's key, for the pages that let people try the API. */
  readonly demoApiKey?: string | undefined;
  /** Limits where there is no Redis. Unset: in the memory of this process. */
  readonly localRateLimiter?: RateLimiter;
}

export interface App {
  readonly server: Server;
  /** Takes requests. @returns The origin that it is reached at, as PUBLIC_URL says or as the port makes it. */
  listen(): Promise<string>;
  /**
   * Says that it is not ready, goes on for the notice, then finishes what is under way, at most for the given time, and lets go of
   * everything but the database.
   */
  close(deadlineMilliseconds?: number, noticeMilliseconds?: number): Promise<void>;
}

/** Builds every dependency once. The only place that sees all of them. */
export async function createApp(
  config: Config,
  { database, log, clock = systemClock, demoApiKey, localRateLimiter }: AppParts,
): Promise<App> {
  const signingKeys = await loadSigningKeys(config);
  const cursorSecrets = await loadCursorSecrets(config);
  const readKey = createKeyReader(database);
  const usage = createKeyUsage(database, (error) => log.warn({ err: error }, 'last use of a key not written'));
  const rateLimiter = createRateLimiter(config, log, localRateLimiter);
  const graph = createGraph({ database, cursorSecrets: cursorSecrets as [string, ...string[]], release });
  const graphqlServer = createGraphqlServer({
    gateway: createLocalGateway(graph),
    production: config.production,
    onInternalError: (error) => log.error({ err: error.cause }, 'a field failed'),
  });
  await graphqlServer.start();

  const createDependencies = (publicUrl: string): HttpDependencies => ({
    publicUrl,
    authenticator: createAuthenticator({ readKey, signingKeys, publicUrl, clock, noteUse: usage.note }),
    rateLimiter,
    graph,
    tokenEndpoint: createTokenEndpoint({
      readKey,
      signingKeys,
      rateLimiter,
      publicUrl,
      clock,
      noteUse: usage.note,
      onError: (error) => log.error({ err: error }, 'the token endpoint failed'),
    }),
    wellKnownDocuments: {
      'oauth-authorization-server': authorizationServerMetadata(publicUrl),
      'oauth-protected-resource': protectedResourceMetadata(publicUrl, ''),
      'oauth-protected-resource/v1': protectedResourceMetadata(publicUrl, '/v1'),
      'jwks.json': publicKeySet(signingKeys),
    },
    graphqlMiddleware: createGraphqlHandler(graphqlServer),
    isPublicGraphqlRequest: createPublicGraphqlCheck(config.production),
    ...(config.production ? {} : { explorer: createPages(demoApiKey) }),
    health,
    log: ({ level, message, error, ...request }) => log[level]({ ...request, err: error }, message),
    trustedProxies: config.http.trustedProxies,
    requestTimeoutMilliseconds: config.http.requestTimeoutMilliseconds,
  });

  const draining = createDraining();
  async function health() {
    const isReachable = await database.prisma.$queryRaw`SELECT 1`.then(
      () => true,
      () => false,
    );
    return { ready: isReachable && !draining.isOn(), checks: { database: isReachable, draining: draining.isOn() } };
  }

  // Links need the port, and the port is known once it is bound; the application follows before the first request can.
  let handle: RequestListener | undefined;
  const { server, drain } = createHttpServer((request, response) => handle?.(request, response), {
    rateLimiter,
    draining,
  });

  return {
    server,
    async listen() {
      await new Promise<void>((resolve, reject) => {
        server.once('error', reject).listen(config.http.port, config.http.host, () => {
          server.off('error', reject);
          const publicUrl = config.http.publicUrl ?? `http://localhost:${(server.address() as AddressInfo).port}`;
          handle = createHttpApp(createDependencies(publicUrl));
          resolve();
        });
      });
      return config.http.publicUrl ?? `http://localhost:${(server.address() as AddressInfo).port}`;
    },
    async close(deadlineMilliseconds = 10_000, noticeMilliseconds = 0) {
      if (server.listening) await drain(deadlineMilliseconds, noticeMilliseconds);
      await graphqlServer.stop();
      await usage.settle();
      await rateLimiter.close();
    },
  };
}

const createPages = (demoApiKey: string | undefined) =>
  createExplorerPages({
    graphqlPath: '/graphql',
    document: exampleDocument,
    authorization: demoApiKey === undefined ? undefined : `Bearer ${demoApiKey}`,
  });

function createRateLimiter({ redisUrl, rateLimitRequests: points }: Config, log: Log, local: RateLimiter | undefined) {
  if (redisUrl === undefined) return local ?? createMemoryRateLimiter({ points });
  return createRedisRateLimiter({
    url: redisUrl,
    points,
    onDegraded: (error) => log.warn({ err: error }, 'Redis does not answer: every process limits by itself'),
    onRestored: () => log.info('Redis answers again: the processes share their limits'),
  });
}
