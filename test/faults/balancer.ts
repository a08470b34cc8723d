import { Agent, createServer, get, request } from 'node:http';
import type { AddressInfo } from 'node:net';
import { once } from 'node:events';

/** A minimal load balancer: polls /readyz, sends each request to the next ready process, and does not retry. */
export interface Balancer {
  readonly origin: string;
  /** The processes that receive requests from now on. */
  setBackends(ports: readonly number[]): void;
  waitUntilReady(port: number): Promise<void>;
  close(): void;
}

const checkEveryMilliseconds = 100;

export interface BalancerOptions {
  /** Whether it uses persistent connections, as most do, or one for each request. */
  readonly keepsConnections: boolean;
}

export async function startBalancer({ keepsConnections }: BalancerOptions): Promise<Balancer> {
  const agent = keepsConnections ? new Agent({ keepAlive: true }) : false;
  let backends: readonly number[] = [];
  const ready = new Set<number>();
  let turn = 0;
  const server = createServer((incoming, response) => {
    const candidates = backends.filter((port) => ready.has(port));
    const port = candidates[turn++ % candidates.length];
    const outgoing = request(
      { host: '127.0.0.1', port, path: incoming.url, method: incoming.method, headers: incoming.headers, agent },
      (answer) => {
        response.writeHead(answer.statusCode ?? 500, { ...answer.headers, connection: 'keep-alive' });
        answer.pipe(response);
        answer.on('error', () => response.destroy());
      },
    );
    outgoing.on('error', (error) => response.writeHead(502).end(error.message));
    incoming.pipe(outgoing);
  });
  const isReady = (port: number) =>
    new Promise<boolean>((resolve) => {
      get({ host: '127.0.0.1', port, path: '/readyz', agent: false }, (answer) =>
        resolve(answer.resume().statusCode === 200),
      ).on('error', () => resolve(false));
    });
  const check = () => {
    for (const port of backends) {
      void isReady(port).then((is) => (is ? ready.add(port) : ready.delete(port)));
    }
  };
  const timer = setInterval(check, checkEveryMilliseconds);
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    origin: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    setBackends(ports) {
      backends = ports;
      check();
    },
    async waitUntilReady(port) {
      while (!ready.has(port)) await new Promise((resolve) => setTimeout(resolve, 20));
    },
    close() {
      clearInterval(timer);
      if (agent !== false) agent.destroy();
      server.close();
      server.closeAllConnections();
    },
  };
}
