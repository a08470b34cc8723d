import { isIPv6 } from 'node:net';
import type { Config } from '../config/config';
import { stdout } from '../common/terminal';

const print = (line: string): void => void stdout.write(`${line}\n`);

/** The one line on standard output that programs parse. */
export const announceAddress = (address: string, port: number, path = ''): void =>
  print(`listening on http://${isIPv6(address) ? `[${address}]` : address}:${port}${path}`);

/** For a person who just ran `npm start`. */
export function announceDemo(origin: string, { referencePages }: Config, apiKey: string | undefined): void {
  if (apiKey === undefined) return;
  const page = referencePages ? '/' : '/explorer';
  print(
    `\nThe demo shop is ready. Try it:\n\n  curl -H 'Authorization: Bearer ${apiKey}' '${origin}/v1/products?limit=2' -w '\\n'\n\nIn a browser: ${origin}${page}\n`,
  );
}
