import type { Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { RequestHandler } from 'express';
import { createAuthenticator } from '../../src/auth/authenticator';
import { createKeyReader } from '../../src/auth/key-reader';
import { authorizationServerMetadata, protectedResourceMetadata, publicKeySet } from '../../src/auth/metadata';
import { createTokenEndpoint } from '../../src/auth/oauth/token-endpoint';
import { createSigningKey } from '../../src/auth/signing-keys';
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
