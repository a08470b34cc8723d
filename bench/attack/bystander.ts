import { once } from 'node:events';
import { join } from 'node:path';
import { Worker } from 'node:worker_threads';
import { isAnswered } from '../../test/support/load';
import type { Question } from '../../test/support/load';
import type { Oracle } from '../../test/support/oracle';
import type { BystanderOrders, BystanderRecords } from './bystander-worker';

/** What the other shops saw. Milliseconds. */
export interface Seen {
  readonly requests: number;
  readonly p95: number;
  readonly slowest: number;
  /** 503 and 429. */
  readonly refused: number;
  /** No answer at all. */
  readonly unanswered: number;
  /** What is wrong with answers, each problem once. */
  readonly wrong: readonly string[];
  readonly probes: number;
  readonly slowestProbe: number;
  /** /livez without a 200. */
  readonly failedProbes: number;
}

export interface Bystander {
  /** Waits for the answers in flight. */
  stop(): Promise<BystanderRecords>;
}

const typescript = join(__dirname, '../../test/support/typescript-hook.cjs');

/**
 * The other shops, which keep sending requests during an attack, 25 times a second in total, from a separate thread:
 * the load of the attacker's thread is not counted as the service's delay.
 */
export function startBystander(origin: string, questions: readonly Question[]): Bystander {
  const orders: BystanderOrders = { origin, questions, everyMilliseconds: 40, probeEveryMilliseconds: 200 };
  const worker = new Worker(join(__dirname, 'bystander-worker.ts'), {
    workerData: orders,
    execArgv: ['--require', typescript],
  });
  const records = once(worker, 'message') as Promise<[BystanderRecords]>;
  return {
    async stop() {
      worker.postMessage('stop');
      const [seen] = await records;
      await worker.terminate();
      return seen;
    },
  };
}

/** What it saw in several periods. */
export function toSeen(periods: readonly BystanderRecords[], oracle: Oracle, questions: readonly Question[]): Seen {
  const answers = periods.flatMap((period) => period.answers);
  const probes = periods.flatMap((period) => period.probes);
  const wrong = new Set<string>();
  for (const answer of answers) {
    const record = { ...answer, question: questions[answer.question] as Question };
    if (!isAnswered(record)) continue;
    for (const problem of oracle.findProblems(record)) wrong.add(problem.slice(0, 200));
  }
  return {
    requests: answers.length,
    p95: percentile(answers, 0.95),
    slowest: percentile(answers, 1),
    refused: answers.filter(({ status }) => status === 503 || status === 429).length,
    unanswered: answers.filter((answer) => answer.status === 0).length,
    wrong: [...wrong],
    probes: probes.length,
    slowestProbe: percentile(probes, 1),
    failedProbes: probes.filter(({ status }) => status !== 200).length,
  };
}

/** The percentile of response times, including those of errors; 0 without records. */
export function percentile(records: readonly { readonly milliseconds: number }[], share: number): number {
  const sorted = records.map(({ milliseconds }) => milliseconds).sort((left, right) => left - right);
  return Math.round(sorted[Math.max(0, Math.ceil(sorted.length * share) - 1)] ?? 0);
}
