import { Agent } from 'node:http';
import { parentPort, workerData } from 'node:worker_threads';
import type { Question, Recorded } from '../../test/support/load';
import { ask, createClient } from '../../test/support/load';

/** The data that the thread is started with. */
export interface BystanderOrders {
  readonly origin: string;
  readonly questions: readonly Question[];
  /** The interval of requests, whether or not earlier ones are answered. */
  readonly everyMilliseconds: number;
  readonly probeEveryMilliseconds: number;
}

/** The results that it sends back. */
export interface BystanderRecords {
  readonly answers: readonly (Omit<Recorded, 'question'> & { readonly question: number })[];
  readonly probes: readonly { readonly status: number; readonly milliseconds: number }[];
}

const { origin, questions, everyMilliseconds, probeEveryMilliseconds } = workerData as BystanderOrders;
/** Answers that have not arrived by then never will. */
const timeoutMilliseconds = 15_000;

const agent = new Agent({ keepAlive: true, maxSockets: 64 });
const probeAgent = new Agent({ keepAlive: true, maxSockets: 4 });
const client = createClient(origin, agent);
const answers: BystanderRecords['answers'][number][] = [];
const probes: BystanderRecords['probes'][number][] = [];
/** Unanswered requests: since when, and how to record that they were never answered. */
const unanswered = new Map<Promise<void>, () => void>();
const texts = new Map<string, string>();

function track(work: Promise<void>, abandon: (milliseconds: number) => void): void {
  const startedAt = performance.now();
  unanswered.set(work, () => abandon(performance.now() - startedAt));
  void work.finally(() => unanswered.delete(work));
}

/** Calls by the clock: a process that stalls must not reduce the number of late calls. */
function callEvery(
  milliseconds: number,
  call: (turn: number) => Promise<void>,
  abandon: (turn: number, milliseconds: number) => void,
): NodeJS.Timeout {
  const startedAt = performance.now();
  let turn = 0;
  return setInterval(() => {
    for (let due = (performance.now() - startedAt) / milliseconds; turn < due; turn++) {
      const thisTurn = turn;
      track(call(thisTurn), (waited) => abandon(thisTurn, waited));
    }
  }, milliseconds);
}

const failed = { status: 0, headers: {}, text: '', failure: 'no response' };

const asking = callEvery(
  everyMilliseconds,
  async (turn) => {
    const index = turn % questions.length;
    const { question: _, ...record } = await client(questions[index] as Question);
    const text = texts.get(record.text) ?? record.text;
    texts.set(text, text);
    answers.push({ ...record, text, question: index });
  },
  (turn, milliseconds) =>
    void answers.push({ ...failed, startedAt: 0, milliseconds, question: turn % questions.length }),
);

const probing = callEvery(
  probeEveryMilliseconds,
  async () => {
    const { status, milliseconds } = await ask(origin, { apiKey: 'none', target: '/livez' }, probeAgent);
    probes.push({ status, milliseconds });
  },
  (_turn, milliseconds) => void probes.push({ status: 0, milliseconds }),
);

parentPort?.once('message', () => {
  clearInterval(asking);
  clearInterval(probing);
  const timeout = setTimeout(report, timeoutMilliseconds);
  void Promise.all(unanswered.keys()).then(() => {
    clearTimeout(timeout);
    report();
  });
});

/** A silent service keeps sockets open forever; they are closed with the thread. */
function report(): void {
  for (const abandon of unanswered.values()) abandon();
  parentPort?.postMessage({ answers, probes } satisfies BystanderRecords);
  // Reports once: after the timeout, or after the last response.
  unanswered.clear();
}
