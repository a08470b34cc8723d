import type { AddressInfo } from 'node:net';
import { loadConfig } from '../../../src/config/config';
import type { SupergraphSource } from '../../../src/federation/source/supergraph-source';
import type { GatewayAppParts } from '../../../src/gateway-app';
import { createGatewayApp } from '../../../src/gateway-app';
import type { LogLine } from '../../support/memory-log';
import { createMemoryLog } from '../../support/memory-log';

export interface ServedGateway {
  /** The URL that operations are sent to. */
  readonly url: string;
  readonly origin: string;
  readonly log: readonly LogLine[];
  stop(): Promise<void>;
}

export const sourceOf = (supergraphSdl: string): SupergraphSource => ({
  start: (offer) => Promise.resolve(offer(supergraphSdl)),
  stop: () => Promise.resolve(),
});

/** A gateway like that of `catalog gateway`, on a free port. */
export async function serveGateway(
  source: SupergraphSource,
  parts: Partial<GatewayAppParts> = {},
  settings: Readonly<Record<string, string>> = {},
): Promise<ServedGateway> {
  const { log, lines } = createMemoryLog();
  const config = loadConfig(
    { PORT: '0', HOST: '127.0.0.1', REQUEST_TIMEOUT_MS: '30000', ...settings },
    { serves: false, hasDatabase: false },
  );
  const app = await createGatewayApp(config, {
    source,
    log,
    limits: {},
    readCaller: undefined,
    forwardedTo: () => [],
    introspection: true,
    limitsRate: false,
    subgraphTimeoutMilliseconds: undefined,
    ...parts,
  });
  await app.listen();
  const origin = `http://127.0.0.1:${(app.server.address() as AddressInfo).port}`;
  return { url: `${origin}/graphql`, origin, log: lines, stop: () => app.close(1000) };
}
