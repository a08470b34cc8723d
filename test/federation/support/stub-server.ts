import { once } from 'node:events';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';

export interface StubRequest {
  readonly headers: IncomingMessage['headers'];
  readonly body: { readonly query: string; readonly variables?: unknown; readonly operationName?: string };
}

export interface StubServer {
  readonly url: string;
  readonly requests: StubRequest[];
  /** How the next requests are answered, until it is changed. */
  answer: (response: ServerResponse, request: StubRequest) => void;
  /** Resolves when that many requests have arrived in total. */
  received(count: number): Promise<void>;
  close(): Promise<void>;
}

/** A real HTTP server whose responses a test decides. */
export async function startStubServer(): Promise<StubServer> {
  const waiting: { readonly count: number; readonly resolve: () => void }[] = [];
  const server = createServer((request, response) => {
    const chunks: Buffer[] = [];
    request.on('data', (chunk: Buffer) => chunks.push(chunk));
    request.on('end', () => {
      const body = JSON.parse(Buffer.concat(chunks).toString() || '{}') as StubRequest['body'];
      const received = { headers: request.headers, body };
      stub.requests.push(received);
      stub.answer(response, received);
      for (const { count, resolve } of waiting) if (stub.requests.length >= count) resolve();
    });
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const stub: StubServer = {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/graphql`,
    requests: [],
    answer: (response) => json(response, { data: { ok: true } }),
    received: (count) =>
      stub.requests.length >= count ? Promise.resolve() : new Promise((resolve) => waiting.push({ count, resolve })),
    async close() {
      server.closeAllConnections();
      server.close();
      await once(server, 'close');
    },
  };
  return stub;
}

export function json(response: ServerResponse, body: unknown, status = 200): void {
  response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body));
}
