import { isIPv6 } from 'node:net';
import type { Config } from '../config/config';
import { isPretty } from '../observability/log';
import { stdout } from '../common/terminal';
import type { AddressInfo } from 'node:net';
import type { App } from '../http/server/open-server';
import type { Log } from '../observability/log';
import { closeOnSignal } from './shutdown-handlers';

/** Writes to standard output in the log's format: text, or a line of JSON. */
const print = (config: Config, msg: string, members: object = {}): void =>
  void stdout.write(
    isPretty(config, 1)
      ? `${msg}\n`
      : `${JSON.stringify({ level: 30, time: Date.now(), ...members, msg: msg.trim() })}\n`,
  );

/** The one line on standard output that programs parse. */
export function announceAddress(config: Config, address: string, port: number, path = ''): void {
  const url = `http://${isIPv6(address) ? `[${address}]` : address}:${port}${path}`;
  print(config, `listening on ${url}`, { url });
}

/** For a person who just ran `npm start`. */
export function announceDemo(origin: string, config: Config, apiKey: string | undefined): void {
  if (apiKey === undefined) return;
  const page = config.referencePages ? '/' : '/graphql';
  print(
    config,
    `\nThe demo shop is ready. Try it:\n\n  curl -H 'Authorization: Bearer ${apiKey}' '${origin}/v1/products?limit=2' -w '\\n'\n\nIn a browser: ${origin}${page}\n`,
  );
}

/** Their messages say what to do; a stack would not help. */
const errorsForPeople: ReadonlySet<string> = new Set([
  'ConfigError',
  'DataDirectoryError',
  'DatabaseUnavailableError',
  'ListenError',
]);

/** The text to show for an error that ended startup: its message if that is written for people, otherwise its stack. */
export function describeRefusal(error: unknown): { readonly text: string; readonly isForPeople: boolean } {
  const { name, message, stack } = error as Error;
  const isForPeople = errorsForPeople.has(name);
  return { text: String(isForPeople ? message : stack), isForPeople };
}

interface ServeOptions {
  readonly config: Config;
  readonly log: Log;
  /** Path of the announced URL. */
  readonly path?: string;
  /** Called with the origin before the URL is announced. */
  readonly prepare?: (origin: string) => Promise<unknown>;
  /** Closes what the application does not. */
  readonly close: () => Promise<void>;
}

/**
 * Serves until SIGTERM or SIGINT, which end the process.
 * @returns the origin, once the process accepts requests
 */
export async function serveApp(app: App, { config, log, path, prepare, close }: ServeOptions): Promise<string> {
  const listen = async (): Promise<string> => {
    const origin = await app.listen();
    await prepare?.(origin);
    return origin;
  };
  const origin = await listen().catch(async (failure: unknown) => {
    // The application holds connections to Redis and to subgraphs, and an open pool would keep alive a process that
    // does not serve.
    await app.close(0);
    await close();
    throw failure;
  });
  closeOnSignal(app, { config, log, close });
  // Last, because a reader of this line may send a signal immediately.
  const { address, port } = app.server.address() as AddressInfo;
  announceAddress(config, address, port, path);
  return origin;
}
