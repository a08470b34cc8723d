import type { Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { RequestHandler } from 'express';
import { createAuthenticator } from '../../src/auth/authenticator';
import { createKeyReader } from '../../src/auth/key-reader';
import { authorizationServerMetadata, protectedResourceMetadata, publicKeySet } from '../../src/auth/metadata';
import { createTokenEndpoint } from '../../src/auth/oauth/token-endpoint';
import { createSigningKeySet, parseSigningKeys } from '../../src/auth/signing-keys';
import type { Clock } from '../../src/clock';
import { systemClock } from '../../src/clock';
import { createGraph } from '../../src/graph/create-graph';
import { createDraining } from '../../src/http/draining';
import { createHttpApp } from '../../src/http/create-http-app';
import { createHttpServer } from '../../src/http/create-http-server';
import type { HttpLogEntry } from '../../src/http/http-dependencies';
import { createMemoryRateLimiter } from '../../src/rate-limit/memory-rate-limiter';
import type { RestClient } from './rest-client';
import { createRestClient } from './rest-client';
import type { Sql, TestDatabase } from './test-database';
import { createTestDatabase } from './test-database';

export interface ServiceOptions {
  readonly clock?: Clock;
  /** Calls per window; 120 as the specification says unless a test sends more. */
  readonly rateLimit?: number;
}

/** The whole service over a database of its own, on a port of its own. */
export interface Service {
  readonly origin: string;
  readonly server: Server;
  readonly database: TestDatabase;
  readonly sql: Sql;
  readonly log: readonly HttpLogEntry[];
  /** A client that holds every response to the OpenAPI document. */
  client(credential?: string): RestClient;
  drain(deadlineMilliseconds: number): Promise<void>;
  close(): Promise<void>;
}

const publicUrl = 'http://localhost:4000';

export async function startService({ clock = systemClock, rateLimit = 120 }: ServiceOptions = {}): Promise<Service> {
  const testDatabase = await createTestDatabase();
  const { database } = testDatabase;
  const log: HttpLogEntry[] = [];
  const readKey = createKeyReader(database);
  const rateLimiter = createMemoryRateLimiter({ points: rateLimit });
  const signingKeys = parseSigningKeys(createSigningKeySet(), 'test');
  const draining = createDraining();
  const app = createHttpApp({
    publicUrl,
    authenticator: createAuthenticator({ readKey, signingKeys, publicUrl, clock }),
    rateLimiter,
    graph: createGraph({ database, cursorSecrets: ['x'.repeat(32)], release: 'test' }),
    tokenEndpoint: createTokenEndpoint({ readKey, signingKeys, rateLimiter, publicUrl, clock }),
    wellKnownDocuments: {
      'oauth-authorization-server': authorizationServerMetadata(publicUrl),
      'oauth-protected-resource': protectedResourceMetadata(publicUrl, ''),
      'oauth-protected-resource/v1': protectedResourceMetadata(publicUrl, '/v1'),
      'jwks.json': publicKeySet(signingKeys),
    },
    graphqlMiddleware: answerNothing,
    isPublicGraphqlRequest: ({ query }) => query === undefined,
    health: () => Promise.resolve({ ready: !draining.isOn(), checks: {} }),
    log: (entry) => log.push(entry),
    trustedProxies: 0,
  });
  const { server, drain } = createHttpServer(app, { rateLimiter, draining });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  return {
    origin,
    server,
    database: testDatabase,
    sql: testDatabase.sql,
    log,
    client: (credential) => createRestClient(origin, credential),
    drain,
    async close() {
      await drain(0);
      await testDatabase.drop();
    },
  };
}

const answerNothing: RequestHandler = (_request, response) => {
  response.json({ data: null });
};
