import { Agent } from 'node:http';
import { parentPort, workerData } from 'node:worker_threads';
import type { Question, Recorded } from '../../faults/support/load';
import { ask, createClient } from '../../faults/support/load';

/** What the thread is started with. */
export interface BystanderOrders {
  readonly origin: string;
  readonly questions: readonly Question[];
  /** A question is asked so often, whether or not the ones before it are answered. */
  readonly everyMilliseconds: number;
  readonly probeEveryMilliseconds: number;
}

/** What it sends back. */
export interface BystanderRecords {
  readonly answers: readonly (Omit<Recorded, 'question'> & { readonly question: number })[];
  readonly probes: readonly { readonly status: number; readonly milliseconds: number }[];
}

const { origin, questions, everyMilliseconds, probeEveryMilliseconds } = workerData as BystanderOrders;
/** Answers that are not there by then do not come. */
const patienceMilliseconds = 15_000;

const agent = new Agent({ keepAlive: true, maxSockets: 64 });
const probeAgent = new Agent({ keepAlive: true, maxSockets: 4 });
const client = createClient(origin, agent);
const answers: BystanderRecords['answers'][number][] = [];
const probes: BystanderRecords['probes'][number][] = [];
const underWay = new Set<Promise<void>>();
const texts = new Map<string, string>();

const track = (work: Promise<void>): void => {
  underWay.add(work);
  void work.finally(() => underWay.delete(work));
};

/** Calls by the clock: a process that stalls must not keep a caller from being late often. */
function callEvery(milliseconds: number, call: (turn: number) => Promise<void>): NodeJS.Timeout {
  const startedAt = performance.now();
  let turn = 0;
  return setInterval(() => {
    for (let due = (performance.now() - startedAt) / milliseconds; turn < due; turn++) track(call(turn));
  }, milliseconds);
}

const asking = callEvery(everyMilliseconds, async (turn) => {
  const index = turn % questions.length;
  const { question: _, ...record } = await client(questions[index] as Question);
  const text = texts.get(record.text) ?? record.text;
  texts.set(text, text);
  answers.push({ ...record, text, question: index });
});

const probing = callEvery(probeEveryMilliseconds, async () => {
  const { status, milliseconds } = await ask(origin, { apiKey: 'none', target: '/livez' }, probeAgent);
  probes.push({ status, milliseconds });
});

parentPort?.once('message', () => {
  clearInterval(asking);
  clearInterval(probing);
  const patience = setTimeout(() => {
    agent.destroy();
    probeAgent.destroy();
  }, patienceMilliseconds);
  void Promise.all(underWay).then(() => {
    clearTimeout(patience);
    agent.destroy();
    probeAgent.destroy();
    parentPort?.postMessage({ answers, probes } satisfies BystanderRecords);
    parentPort?.close();
  });
});
