import { Agent, request } from 'node:http';
import type { IncomingHttpHeaders } from 'node:http';

/** A request that the load can send. */
export interface Question {
  /** The shop of its credential; an answer must never be that of the other. */
  readonly apiKey: string;
  readonly target: string;
  /** A GraphQL document; the request is then a POST. */
  readonly document?: string;
  readonly method?: 'HEAD';
  /** With the most recent access token that this client got for the key; with the key itself until it has one. */
  readonly usesToken?: boolean;
  /** Requests an access token with these client credentials. */
  readonly credentials?: string;
  /** With If-None-Match, from the second time on. */
  readonly isConditional?: boolean;
}

/** One request of a run, recorded for the checks afterwards. */
export interface Recorded {
  readonly question: Question;
  readonly startedAt: number;
  readonly milliseconds: number;
  /** 0 if the connection failed. */
  readonly status: number;
  readonly failure?: string;
  readonly headers: IncomingHttpHeaders;
  /** For 304 the body that it stands for: the one that came with the entity tag. */
  readonly text: string;
}

/** Whether the request was answered as expected. */
export const isAnswered = ({ status }: Pick<Recorded, 'status'>): boolean => status === 200 || status === 304;

/** Of all answers, right or wrong. */
export const slowestOf = (records: readonly Recorded[]): number =>
  Math.round(records.reduce((slowest, { milliseconds }) => Math.max(slowest, milliseconds), 0));

export interface Load {
  readonly records: readonly Recorded[];
  /** Sends these requests as well, from now on. */
  add(questions: readonly Question[]): void;
  /** Resolves when the requests in flight are answered. */
  stop(): Promise<void>;
}

/** Sends one request. */
export const ask = (origin: string, question: Question, agent?: Agent): Promise<Recorded> =>
  send(origin, question, { Authorization: `Bearer ${question.apiKey}` }, agent);

function send(
  origin: string,
  question: Question,
  headers: Readonly<Record<string, string>>,
  agent?: Agent,
): Promise<Recorded> {
  const { target, document, credentials, method } = question;
  const { hostname, port } = new URL(origin);
  const body =
    document !== undefined
      ? { type: 'application/json', text: JSON.stringify({ query: document }) }
      : credentials !== undefined
        ? { type: 'application/x-www-form-urlencoded', text: 'grant_type=client_credentials' }
        : undefined;
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
        method: method ?? (body === undefined ? 'GET' : 'POST'),
        ...(agent === undefined ? {} : { agent }),
        headers: { ...headers, ...(body === undefined ? {} : { 'Content-Type': body.type }) },
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
    outgoing.end(body?.text);
  });
}

/** A client with state: it uses the tokens it got, and sends the entity tags that it holds. */
export function createClient(origin: string, agent: Agent) {
  const tokens = new Map<string, string>();
  const held = new Map<Question, { readonly tag: string; readonly text: string }>();
  return async (question: Question): Promise<Recorded> => {
    const { apiKey, credentials, usesToken, isConditional } = question;
    const bearer = (usesToken === true ? tokens.get(apiKey) : undefined) ?? apiKey;
    const known = isConditional === true ? held.get(question) : undefined;
    const record = await send(
      origin,
      question,
      {
        Authorization: credentials === undefined ? `Bearer ${bearer}` : `Basic ${credentials}`,
        ...(known === undefined ? {} : { 'If-None-Match': known.tag }),
      },
      agent,
    );
    if (record.status === 304 && known !== undefined) return { ...record, text: record.text + known.text };
    if (record.status !== 200) return record;
    if (credentials !== undefined) tokens.set(apiKey, findToken(record.text));
    if (isConditional === true) held.set(question, { tag: record.headers.etag ?? '', text: record.text });
    return record;
  };
}

const findToken = (text: string): string => /"access_token":"([^"]*)"/.exec(text)?.[1] ?? 'none';

/**
 * That many clients, each sending one request after the other.
 * @param pauseMilliseconds between two of them: without a pause the load uses whatever the processors can give
 */
export function startLoad(origin: string, given: readonly Question[], clients: number, pauseMilliseconds = 0): Load {
  const questions = [...given];
  const records: Recorded[] = [];
  // The same bodies recur: each is stored once.
  const texts = new Map<string, string>();
  const agent = new Agent({ keepAlive: true });
  let running = true;
  const run = async (first: number): Promise<void> => {
    const client = createClient(origin, agent);
    for (let turn = first; running; turn++) {
      const record = await client(questions[turn % questions.length] as Question);
      const text = texts.get(record.text) ?? record.text;
      texts.set(text, text);
      records.push({ ...record, text });
      // A refusal states its wait; waiting a part of it prevents a broken run from consisting of refusals only.
      const pause = isAnswered(record) ? pauseMilliseconds : Math.max(20, pauseMilliseconds);
      if (pause > 0) await new Promise((resolve) => setTimeout(resolve, pause));
    }
  };
  const done = Promise.all(Array.from({ length: clients }, (_, index) => run(index)));
  return {
    records,
    add: (more) => void questions.push(...more),
    async stop() {
      running = false;
      await done;
      agent.destroy();
    },
  };
}
