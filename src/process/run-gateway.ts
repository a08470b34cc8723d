import type { Config } from '../config/config';
import { createLog } from '../observability/log';
import type { GatewayOptions } from './open-gateway';
import { openGateway } from './open-gateway';
import { runWorkers } from './run-workers';
import { serveApp } from './serve-app';

const path = '/graphql';

interface RunOptions {
  readonly workers: number;
  /** Environment variables set by options of the command. */
  readonly given: Readonly<Record<string, string>>;
}

/** Serves until SIGTERM or SIGINT, which end the process. Resolves when the process accepts requests. */
export async function runGateway(
  config: Config,
  gateway: GatewayOptions,
  { workers, given }: RunOptions,
): Promise<void> {
  const log = createLog(config);
  for (const line of config.misspelled) log.warn(line);
  const close = () => Promise.resolve();
  if (workers > 1) {
    const startOrder = { kind: 'gateway', gateway } as const;
    return runWorkers(config, log, { count: workers, startOrder, environment: given, path, close });
  }
  const app = await openGateway(config, gateway, { log });
  await serveApp(app, { config, log, path, close });
}
