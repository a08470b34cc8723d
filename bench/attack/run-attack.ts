import { setTimeout as delay } from 'node:timers/promises';
import type { Question } from '../../test/support/load';
import { ask, isAnswered } from '../../test/support/load';
import { readMachineFigures, slowdownByOthers } from '../../test/support/machine-share';
import type { Oracle } from '../../test/support/oracle';
import { childrenOf } from '../../test/support/processes';
import { createRandom, deriveSeed } from '../../test/support/random';
import type { ServiceProcess } from '../../test/support/service-process';
import type { TrialRow } from '../trial';
import type { Attack, Scene } from './attack';
import { createAttacker } from './attacker';
import type { Seen } from './bystander';
import { startBystander, toSeen } from './bystander';
import type { BystanderRecords } from './bystander-worker';
import { judge, sharedSlowdown } from './judge';
import { readFigures, readInnerFigures, resetPeak } from './process-figures';

/** What all attacks of a run share. */
interface Stage extends Pick<Scene, 'service' | 'shop' | 'sql' | 'isShort'> {
  readonly oracle: Oracle;
  /** The requests of the other shops. */
  readonly questions: readonly Question[];
  readonly seed: number;
}

const usualSeconds = { full: 8, short: 1 };
/** Rows may take the database long on a busy machine. */
const preparationSeconds = 300;
const calmSeconds = { full: 2, short: 1 };
/** An attack may have to wait for answers after its time; one that does not end is a fault of this harness. */
const overrunSeconds = 30;
/** A process that is silent for this long is not waited for. */
const answerTimeoutMilliseconds = 10_000;
/** The share of requests that may be cut, because a reused connection may just be closed. */
const allowedCuts = 0.02;

let attackers = 0;
/** In a short run one calm period serves all attacks on a process. */
const calmOf = new WeakMap<ServiceProcess, BystanderRecords>();

export const isDead = ({ child }: ServiceProcess): boolean => child.exitCode !== null || child.signalCode !== null;

/** Measures a calm period, then the attack, and gives a verdict. */
export async function runAttack(attack: Attack, stage: Stage): Promise<TrialRow> {
  const { service, oracle, questions, isShort, seed } = stage;
  const pid = service.child.pid as number;
  const size = isShort ? 'short' : 'full';
  const problems = new Map<string, { count: number; example: string }>();
  const notes: string[] = [];
  const seconds = (attack.seconds ?? usualSeconds)[size];
  let endsAt = Infinity;
  const isRunning = () => performance.now() < endsAt && !isDead(service);
  const fail = (problem: string, example = '') => {
    const known = problems.get(problem) ?? { count: 0, example };
    problems.set(problem, { ...known, count: known.count + 1 });
  };
  const attacker = createAttacker({ service, address: nextAddress(), isRunning, fail });
  const random = createRandom(deriveSeed(seed, attack.name));
  const scene: Scene = { ...stage, random, attacker, seconds, isRunning, fail, note: (text) => void notes.push(text) };

  if (attack.prepare !== undefined) await attempt('the preparation', attack.prepare(scene), preparationSeconds);
  await settle(service, questions[0] as Question);
  const { rounds = 1 } = attack;
  const known = isShort && rounds === 1 ? calmOf.get(service) : undefined;
  const calmPeriods = [known ?? (await watch(calmSeconds[size] * 1000))];
  calmOf.set(service, calmPeriods[0] as BystanderRecords);
  service.forgetLog();
  await innerFigures(); // begins the interval
  const before = readFigures(pid);
  resetPeak(pid);
  const machine = readMachineFigures();
  const periods: BystanderRecords[] = [];
  const startedAt = performance.now();
  for (let round = 0; round < rounds; round += 1) {
    const bystander = startBystander(service.origin, questions);
    endsAt = performance.now() + seconds * 1000;
    await attempt('the attack itself', attack.run(scene), seconds + overrunSeconds);
    periods.push(await bystander.stop());
    if (rounds > 1 && !isDead(service)) calmPeriods.push(await watch(calmSeconds[size] * 1000));
  }
  const lasted = (performance.now() - startedAt) / 1000;
  const [calm, during] = [calmPeriods, periods].map((each) => toSeen(each, oracle, questions)) as [Seen, Seen];
  const slowdown = slowdownByOthers(machine, readMachineFigures());
  const inner = await innerFigures();
  const hasDied = isDead(service);
  if (hasDied) notes.push(`first error in the log: ${lastWords(service)}`);
  else if (inner === undefined) fail('the process no longer responds');
  const cuts = attacker.countCut();
  if (cuts > Math.max(2, attacker.cost.requests * allowedCuts) && !hasDied)
    fail(`${cuts} short requests were cut off without a response`);
  attacker.close();
  const after = readFigures(pid);
  const planners = hasDied ? [] : childrenOf(pid).map((child) => readFigures(child)?.peak ?? 0);
  const broken = judge({
    ...{ hasDied, calm, during, slowdown, isShort, p95BoundMilliseconds: attack.p95BoundMilliseconds },
    peak: after && Math.max(after.peak, ...planners),
    problems: [...problems].map(
      ([problem, { count, example }]) => `${count} × ${problem}${example === '' ? '' : `, first: ${example}`}`,
    ),
  });
  const shared = slowdown < sharedSlowdown ? '' : `; machine shared: × ${slowdown.toFixed(1)}`;
  const { requests, bytesSent } = attacker.cost;
  const load = `${requests} requests, ${(bytesSent / 1_000_000).toFixed(1)} MB, ${Math.round(lasted)} s; responses: ${attacker.toStatuses()}`;
  return {
    what: `${attack.name}: ${attack.what}`,
    load,
    measured: [
      `p95 ${during.p95} ms (calm: ${calm.p95}${shared})`,
      `${before?.resident ?? '?'} MB before, ${after?.resident ?? '?'} after, ${after?.peak ?? '?'} at most (heap ${inner?.heap ?? '?'} after)`,
      ...broken,
    ].join('; '),
    isKept: broken.length === 0,
    details: [
      load,
      `other shops: slowest ${during.slowest} ms of ${during.requests} (calm: ${calm.slowest} ms); slowest /livez ${during.slowestProbe} ms`,
      `CPU ${after && before ? (after.cpuSeconds - before.cpuSeconds).toFixed(1) : '?'} s, longest block ${inner?.longestBlock ?? '?'} ms, slowed down ${slowdown.toFixed(1)} × by other programs`,
      ...notes,
    ],
  };

  /** An attack that fails has shown nothing. After the process has died, it can only fail. */
  async function attempt(label: string, work: Promise<void>, atMostSeconds: number): Promise<void> {
    try {
      const ended = work.then(() => true);
      if ((await within(atMostSeconds * 1000, ended)) === undefined)
        fail(`${label} did not end within ${atMostSeconds} s`);
    } catch (error) {
      if (!isDead(service)) fail(`${label} failed`, String(error).slice(0, 200));
    }
  }

  async function watch(milliseconds: number): Promise<BystanderRecords> {
    const calmBystander = startBystander(service.origin, questions);
    await delay(milliseconds);
    return calmBystander.stop();
  }

  async function innerFigures() {
    if (isDead(service)) return undefined;
    return within(
      answerTimeoutMilliseconds,
      readInnerFigures(service).catch(() => undefined),
    );
  }
}

/** @returns undefined if it takes longer */
const within = <Result>(milliseconds: number, work: Promise<Result>): Promise<Result | undefined> =>
  Promise.race([work, delay(milliseconds, undefined, { ref: false })]);

/** Waits until the remaining work of the previous attack is done, ten seconds at most. */
async function settle({ origin }: ServiceProcess, question: Question): Promise<void> {
  const deadline = performance.now() + 10_000;
  for (let quick = 0; quick < 5 && performance.now() < deadline;) {
    const record = await within(answerTimeoutMilliseconds, ask(origin, question));
    quick = record !== undefined && isAnswered(record) && record.milliseconds < 100 ? quick + 1 : 0;
    await delay(20);
  }
}

/** Each attacker uses a separate address: all of 127.0.0.0/8 is this machine. */
const nextAddress = (): string => `127.0.1.${1 + (attackers += 1)}`;

const lastWords = (service: ServiceProcess): string =>
  /(?:FATAL ERROR|RangeError|Error:)[^\n]*/.exec(service.log())?.[0].slice(0, 200) ?? 'none';
