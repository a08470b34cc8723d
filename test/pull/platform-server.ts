import { once } from 'node:events';
import type { IncomingMessage } from 'node:http';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';

export interface PlatformAnswer {
  readonly status?: number | undefined;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string;
}

/** A response that replaces the regular one, in whole or in part. */
export type Fault = 'cut' | 'reset' | 'no JSON' | 'byte order mark' | PlatformAnswer;

export interface Seen {
  readonly method: string;
  readonly url: URL;
  readonly headers: IncomingMessage['headers'];
  readonly body: string;
}

/** A server that responds as a platform does, except for the faults that a test adds. */
export interface PlatformServer {
  readonly url: URL;
  readonly seen: Seen[];
  /** Each applies to one request, in order. */
  faults: (Fault | undefined)[];
  close(): Promise<void>;
}

export async function startPlatform(
  answer: (seen: Seen) => PlatformAnswer | 'drip' | Promise<PlatformAnswer>,
): Promise<PlatformServer> {
  const seen: Seen[] = [];
  const server = createServer((request, response) => {
    const chunks: Buffer[] = [];
    request.on('data', (chunk: Buffer) => chunks.push(chunk));
    const respond = async () => {
      const url = new URL(request.url ?? '/', `http://${request.headers.host ?? ''}`);
      const body = Buffer.concat(chunks).toString('utf8');
      const one = { method: request.method ?? '', url, headers: request.headers, body };
      seen.push(one);
      const fault = platform.faults.shift();
      if (fault === 'reset') return request.socket.destroy();
      const answered = typeof fault === 'object' ? fault : await answer(one);
      if (answered === 'drip') {
        const timer = setInterval(() => response.write(' '), 10);
        return response.on('close', () => clearInterval(timer));
      }
      const { status = 200, headers = {}, body: text = '' } = answered;
      const bytes =
        fault === 'no JSON'
          ? Buffer.from('<!doctype html><p>Maintenance</p>')
          : Buffer.from(fault === 'byte order mark' ? `\ufeff${text}` : text);
      response.writeHead(status, { 'Content-Length': bytes.length, ...headers });
      if (fault !== 'cut') return response.end(bytes);
      response.write(bytes.subarray(0, Math.floor(bytes.length / 2)), () => request.socket.destroy());
    };
    request.on('end', () => void respond());
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const platform: PlatformServer = {
    url: new URL(`http://127.0.0.1:${(server.address() as AddressInfo).port}`),
    seen,
    faults: [],
    async close() {
      server.closeAllConnections();
      server.close();
      await once(server, 'close');
    },
  };
  return platform;
}

export const json = (value: unknown, headers: Readonly<Record<string, string>> = {}): PlatformAnswer => ({
  headers: { 'Content-Type': 'application/json', ...headers },
  body: JSON.stringify(value),
});
