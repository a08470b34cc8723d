import { Agent, request } from 'node:http';
import type { IncomingHttpHeaders } from 'node:http';

/** Something that can be asked, and what the answer must be. */
export interface Question {
  /** Whose credential it carries; an answer must never be the other's. */
  readonly apiKey: string;
  readonly target: string;
  /** A GraphQL document; then it is a POST. */
  readonly document?: string;
}

/** One request of a run, kept for the checks afterwards. */
export interface Recorded {
  readonly question: Question;
  readonly startedAt: number;
  readonly milliseconds: number;
  /** 0 when the connection failed. */
  readonly status: number;
  readonly failure?: string;
  readonly headers: IncomingHttpHeaders;
  readonly text: string;
}

export interface Load {
  readonly records: readonly Recorded[];
  /** Resolves when the requests under way are answered. */
  stop(): Promise<void>;
}

export const ask = (origin: string, question: Question, agent?: Agent): Promise<Recorded> => {
  const { apiKey, target, document } = question;
  const { hostname, port } = new URL(origin);
  const startedAt = performance.now();
  return new Promise((resolve) => {
    const settle = (rest: Partial<Recorded>) =>
      resolve({
        question,
        startedAt,
        milliseconds: performance.now() - startedAt,
        status: 0,
        headers: {},
        text: '',
        ...rest,
      });
    const outgoing = request(
      {
        hostname,
        port,
        path: target,
        method: document === undefined ? 'GET' : 'POST',
        ...(agent === undefined ? {} : { agent }),
        headers: { Authorization: `Bearer ${apiKey}`, 'Content-Type': 'application/json' },
      },
      (incoming) => {
        const chunks: Buffer[] = [];
        incoming.on('data', (chunk: Buffer) => chunks.push(chunk));
        incoming.on('error', (error) => settle({ failure: error.message }));
        incoming.on('end', () =>
          settle({
            status: incoming.statusCode ?? 0,
            headers: incoming.headers,
            text: Buffer.concat(chunks).toString(),
          }),
        );
      },
    );
    outgoing.on('error', (error) => settle({ failure: error.message }));
    outgoing.end(document === undefined ? undefined : JSON.stringify({ query: document }));
  });
};

/** So many clients, each asking one question after the other. */
export function startLoad(origin: string, questions: readonly Question[], clients: number): Load {
  const records: Recorded[] = [];
  const agent = new Agent({ keepAlive: true });
  let running = true;
  const client = async (first: number): Promise<void> => {
    for (let turn = first; running; turn++) {
      const record = await ask(origin, questions[turn % questions.length] as Question, agent);
      records.push(record);
      // A refusal names its wait; a little of it keeps a broken run from being nothing but refusals.
      if (record.status !== 200) await new Promise((resolve) => setTimeout(resolve, 20));
    }
  };
  const done = Promise.all(Array.from({ length: clients }, (_, index) => client(index)));
  return {
    records,
    async stop() {
      running = false;
      await done;
      agent.destroy();
    },
  };
}
