import { Agent, request } from 'node:http';
import type { IncomingHttpHeaders } from 'node:http';
import { connect } from 'node:net';
import type { Socket } from 'node:net';
import { parse } from '../../test/support/check-answer';
import type { ServiceProcess } from '../../test/support/service-process';

/** One request of an attacker. */
export interface Shot {
  readonly path: string;
  readonly method?: string;
  readonly apiKey?: string;
  readonly headers?: Readonly<Record<string, string | string[]>>;
  readonly body?: string;
}

export interface ShotAnswer {
  /** 0 without an answer. */
  readonly status: number;
  readonly headers: IncomingHttpHeaders;
  /** At most its first 4 MB. */
  readonly text: string;
  readonly bytes: number;
  readonly failure?: string;
}

/** Sends shots, counts what they cost, and checks every answer. */
export interface Attacker {
  /** This attacker's own IP address, which has its own rate-limit bucket. */
  readonly address: string;
  readonly cost: { requests: number; bytesSent: number };
  /** The number of short requests whose connection ended without a response. */
  countCut(): number;
  /** How often each status occurred, as text. */
  toStatuses(): string;
  send(shot: Shot): Promise<ShotAnswer>;
  /** POST /graphql. */
  graphql(query: string, credentials: Pick<Shot, 'apiKey'>): Promise<ShotAnswer>;
  /** Makes attempts on this many connections at once, until the time is over or `atMost` were made. */
  flood(connections: number, attempt: () => Promise<unknown>, atMost?: number): Promise<void>;
  /** A connection for bytes that no HTTP client sends. */
  open(): Socket;
  /** Writes and counts. */
  write(socket: Socket, bytes: string | Buffer): void;
  close(): void;
}

interface AttackerOptions {
  readonly service: ServiceProcess;
  readonly address: string;
  isRunning(): boolean;
  fail(problem: string, example?: string): void;
}

/** A request without a response by then hangs. Longer than every time limit of the service. */
const hangMilliseconds = 10_000;
const keptBytes = 4 * 1024 * 1024;

export function createAttacker({ service, address, isRunning, fail }: AttackerOptions): Attacker {
  const agent = new Agent({ keepAlive: true, localAddress: address });
  const sockets = new Set<Socket>();
  const cost = { requests: 0, bytesSent: 0 };
  const statuses = new Map<string, number>();
  let cut = 0;

  const send = async (shot: Shot): Promise<ShotAnswer> => {
    const { apiKey, headers, body } = shot;
    cost.requests++;
    cost.bytesSent += shot.path.length + 120 + Buffer.byteLength(body ?? '') + JSON.stringify(headers ?? {}).length;
    const answer = await exchange(service.port, agent, {
      ...shot,
      headers: { ...(apiKey === undefined ? {} : { Authorization: `Bearer ${apiKey}` }), ...headers },
    });
    const status = answer.status === 0 ? 'cut' : String(answer.status);
    statuses.set(status, (statuses.get(status) ?? 0) + 1);
    if (isCut(answer) && (body ?? '').length < readToItsEndBytes) cut++;
    const example = (body ?? shot.path).slice(0, 160);
    for (const problem of findProblems(answer)) fail(problem, example);
    return answer;
  };

  return {
    address,
    cost,
    toStatuses: () =>
      [...statuses]
        .sort(([left], [right]) => left.localeCompare(right))
        .map(([status, count]) => `${count} × ${status}`)
        .join(', ') || 'none',
    countCut: () => cut,
    send,
    graphql: (query, credentials) =>
      send({
        ...credentials,
        path: '/graphql',
        method: 'POST',
        headers: { 'Content-Type': 'application/json' },
        body: JSON.stringify({ query }),
      }),
    async flood(connections, attempt, atMost = Infinity) {
      let made = 0;
      const run = async () => {
        while (isRunning() && made < atMost) {
          made += 1;
          await attempt();
        }
      };
      await Promise.all(Array.from({ length: connections }, run));
    },
    open() {
      const socket = connect({ port: service.port, host: '127.0.0.1', localAddress: address });
      socket.on('error', () => undefined);
      sockets.add(socket);
      socket.once('close', () => sockets.delete(socket));
      return socket;
    },
    write(socket, bytes) {
      if (socket.destroyed) return;
      cost.requests++;
      cost.bytesSent += Buffer.byteLength(bytes);
      socket.write(bytes);
    },
    close() {
      agent.destroy();
      for (const socket of sockets) socket.destroy();
    },
  };
}

function exchange(port: number, agent: Agent, { path, method = 'GET', headers = {}, body }: Shot): Promise<ShotAnswer> {
  return new Promise((resolve) => {
    let bytes = 0;
    const chunks: Buffer[] = [];
    let timer: NodeJS.Timeout | undefined = undefined;
    const settle = (status: number, answerHeaders: IncomingHttpHeaders, failure?: string) => {
      clearTimeout(timer);
      const text = Buffer.concat(chunks).toString();
      resolve({ status, headers: answerHeaders, text, bytes, ...(failure === undefined ? {} : { failure }) });
    };
    const settleFailed = (error: NodeJS.ErrnoException) => settle(0, {}, error.code ?? error.message);
    try {
      const outgoing = request({ host: '127.0.0.1', port, path, method, agent, headers }, (incoming) => {
        incoming.on('data', (chunk: Buffer) => {
          bytes += chunk.length;
          if (bytes <= keptBytes) chunks.push(chunk);
        });
        incoming.on('end', () => settle(incoming.statusCode ?? 0, incoming.headers));
        incoming.on('error', settleFailed);
      });
      outgoing.on('error', settleFailed);
      timer = setTimeout(() => {
        settle(0, {}, 'hang');
        outgoing.destroy();
      }, hangMilliseconds);
      outgoing.end(body);
    } catch (error) {
      // node:http refuses to send it.
      settleFailed(error as NodeJS.ErrnoException);
    }
  });
}

const isCut = ({ failure }: ShotAnswer): boolean => failure === 'ECONNRESET' || failure === 'EPIPE';
/** The service may refuse the rest of longer bodies. */
const readToItsEndBytes = 10_000;

/** What an attacker must never see, whatever was sent. */
function findProblems({ status, text, failure }: ShotAnswer): string[] {
  if (failure === 'hang') return [`no response within ${hangMilliseconds / 1000} s`];
  // If a body is rejected before it is read, the connection is closed. Another check covers that the process is alive.
  if (status === 0) return [];
  const problems: string[] = [];
  if (status === 500 || text.includes('"code":"INTERNAL_SERVER_ERROR"')) problems.push('INTERNAL_SERVER_ERROR');
  if (status >= 400 && !hasEnvelope(text)) problems.push(`${status} without an error envelope`);
  const internal = /node_modules|\/(?:src|dist)\/[\w/-]+\.[jt]s|\bECONN|prisma/i.exec(text);
  if (internal !== null) problems.push(`reveals internals (${internal[0]})`);
  return problems;
}

interface Envelope {
  readonly error?: string | { readonly code?: unknown; readonly message?: unknown };
  readonly errors?: readonly { readonly message?: unknown; readonly extensions?: { readonly code?: unknown } }[];
  readonly jsonrpc?: unknown;
}

/** The envelope of REST, of GraphQL (D2), of the token endpoint (D13) or of JSON-RPC, whose codes are numbers. */
function hasEnvelope(text: string): boolean {
  const { error, errors, jsonrpc } = (parse(text) ?? {}) as Envelope;
  if (typeof error === 'string') return true;
  if (error !== undefined) {
    return typeof error.code === (jsonrpc === '2.0' ? 'number' : 'string') && typeof error.message === 'string';
  }
  return typeof errors?.[0]?.message === 'string' && typeof errors[0].extensions?.code === 'string';
}
