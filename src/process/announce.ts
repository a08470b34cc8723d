import { isIPv6 } from 'node:net';
import type { Config } from '../config/config';
import { isPretty } from '../observability/log';
import { stdout } from '../common/terminal';

/** Writes to standard output in the form of the log: text for people, or a line of JSON. */
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
  const page = config.referencePages ? '/' : '/explorer';
  print(
    config,
    `\nThe demo shop is ready. Try it:\n\n  curl -H 'Authorization: Bearer ${apiKey}' '${origin}/v1/products?limit=2' -w '\\n'\n\nIn a browser: ${origin}${page}\n`,
  );
}
