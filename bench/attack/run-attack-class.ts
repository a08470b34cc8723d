import { setTimeout as delay } from 'node:timers/promises';
import { isAnswered, ask } from '../../test/support/load';
import type { Question } from '../../test/support/load';
import type { Oracle } from '../../test/support/oracle';
import type { ServiceProcess } from '../../test/support/service-process';
import { childrenOf } from '../../test/support/processes';
import type { Sql } from '../../test/support/test-database';
import type { Attack, Scene } from './attack';
import type { AttackRow } from './attack-row';
import type { AttackedShop } from './attacked-shop';
import { createAttacker } from './attacker';
import type { Seen } from './bystander';
import { startBystander, toSeen } from './bystander';
import type { BystanderRecords } from './bystander-worker';
import type { HostileSubgraph } from './hostile-subgraph';
import type { InnerFigures } from './process-figures';
import { readMachineFigures, slowdownByOthers } from '../../test/support/machine-share';
import { readFigures, readInnerFigures, resetPeak } from './process-figures';
import { createRandom, deriveSeed } from '../../test/support/random';
import { judge } from './verdict';

/** What all attacks of a run share. */
export interface Stage {
  readonly service: ServiceProcess;
  readonly subgraph: HostileSubgraph | undefined;
  readonly oracle: Oracle;
  /** The requests of the other shops. */
  readonly questions: readonly Question[];
  readonly shop: AttackedShop;
  readonly sql: Sql;
  readonly ownerUrl: string;
  readonly seed: number;
  readonly isShort: boolean;
}

const usualSeconds = { full: 8, short: 1 };
/** Rows may take the database long on a busy machine. */
const preparationSeconds = 300;
const calmSeconds = { full: 2, short: 1 };
/** An attack may have to wait for answers after its time; one that does not end is a fault of this harness. */
const overrunSeconds = 30;
/** A process that is silent for this long is not waited for. */
const answerTimeoutMilliseconds = 10_000;

/** A connection that is reused may be closed at that time. */
const allowedCuts = 0.02;

let attackers = 0;
/** In a short run one calm period serves all attacks on a process. */
const calmOf = new WeakMap<ServiceProcess, BystanderRecords>();

export const isDead = ({ child }: ServiceProcess): boolean => child.exitCode !== null || child.signalCode !== null;

/** Measures a calm period, then the attack, and gives a verdict. */
export async function runAttackClass(attack: Attack, stage: Stage): Promise<AttackRow> {
  const { service, oracle, questions, isShort, seed } = stage;
  const pid = service.child.pid as number;
  const size = isShort ? 'short' : 'full';
  const problems = new Map<string, { count: number; example: string }>();
  const notes: string[] = [];
  const seconds = (attack.seconds ?? usualSeconds)[size];
  let endsAt = Infinity;
  const goesOn = () => performance.now() < endsAt && !isDead(service);
  const fail = (problem: string, example = '') => {
    const known = problems.get(problem) ?? { count: 0, example };
    problems.set(problem, { ...known, count: known.count + 1 });
  };
  const attacker = createAttacker({ service, address: nextAddress(), goesOn, fail });
  const scene: Scene = {
    ...stage,
    random: createRandom(deriveSeed(seed, attack.name)),
    attacker,
    seconds,
    goesOn,
    fail,
    note: (text) => void notes.push(text),
    subgraph() {
      if (stage.subgraph === undefined) throw new Error(`${attack.name} needs a federated service.`);
      return stage.subgraph;
    },
  };

  if (attack.prepare !== undefined) await attempt(attack.prepare(scene), preparationSeconds);
  await settle(service, questions[0] as Question);
  const rounds = attack.rounds?.[size] ?? 1;
  const known = isShort && rounds === 1 ? calmOf.get(service) : undefined;
  const calmPeriods = [known ?? (await watch(calmSeconds[size] * 1000))];
  calmOf.set(service, calmPeriods[0] as BystanderRecords);
  service.forgetLog();
  await innerFigures(); // begins the interval
  const before = readFigures(pid);
  resetPeak(pid);
  const machine = readMachineFigures();
  const periods: BystanderRecords[] = [];
  let lasted = 0;
  for (let round = 0; round < rounds; round += 1) {
    const bystander = startBystander(service.origin, questions);
    const startedAt = performance.now();
    endsAt = startedAt + seconds * 1000;
    await attempt(attack.run(scene), seconds + overrunSeconds);
    lasted += (performance.now() - startedAt) / 1000;
    periods.push(await bystander.stop());
    if (rounds > 1 && !isDead(service)) calmPeriods.push(await watch(calmSeconds[size] * 1000));
  }
  const [calm, during] = [calmPeriods, periods].map((each) => toSeen(each, oracle, questions)) as [Seen, Seen];
  const slowdown = slowdownByOthers(machine, readMachineFigures());
  const inner = await innerFigures();
  if (inner === undefined && !isDead(service)) fail('the process no longer answers');
  if (attacker.countCut() > Math.max(2, attacker.cost.requests * allowedCuts) && !isDead(service))
    fail(`${attacker.countCut()} short requests were cut without an answer`);
  if (inner !== undefined && attack.verdict !== undefined) await attempt(attack.verdict(scene), overrunSeconds);
  attacker.close();
  const after = readFigures(pid);
  const planners = isDead(service) ? [] : childrenOf(pid).map((child) => readFigures(child)?.peak ?? 0);
  const hasDied = isDead(service);
  if (hasDied) notes.push(`last words: ${lastWords(service)}`);

  return {
    name: attack.name,
    what: attack.what,
    requests: attacker.cost.requests,
    bytesSent: attacker.cost.bytesSent,
    seconds: lasted,
    statuses: attacker.statuses,
    calm,
    during,
    residentBefore: before?.resident,
    residentAfter: after?.resident,
    peak: after?.peak,
    heapAfter: inner?.heap,
    cpuSeconds: after && before && after.cpuSeconds - before.cpuSeconds,
    longestBlock: inner?.longestBlock,
    slowdown,
    notes,
    broken: judge({
      hasDied,
      calm,
      during,
      peak: after && Math.max(after.peak, ...planners),
      slowdown,
      p95BoundMilliseconds: attack.p95BoundMilliseconds,
      isShort,
      problems: [...problems].map(
        ([problem, { count, example }]) => `${count} × ${problem}${example === '' ? '' : `, first: ${example}`}`,
      ),
    }),
  };

  /** An attack that fails has shown nothing; after a death it cannot but fail. */
  async function attempt(work: Promise<void>, atMostSeconds: number): Promise<void> {
    try {
      if (
        (await within(
          atMostSeconds * 1000,
          work.then(() => true),
        )) === undefined
      )
        fail(`the attack did not end within ${atMostSeconds} s`);
    } catch (error) {
      if (!isDead(service)) fail('the attack itself failed', String(error).slice(0, 200));
    }
  }

  async function watch(milliseconds: number): Promise<BystanderRecords> {
    const calmBystander = startBystander(service.origin, questions);
    await delay(milliseconds);
    return calmBystander.stop();
  }

  async function innerFigures(): Promise<InnerFigures | undefined> {
    return isDead(service)
      ? undefined
      : within(
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
function nextAddress(): string {
  attackers++;
  return `127.0.${1 + Math.floor(attackers / 250)}.${1 + (attackers % 250)}`;
}

const lastWords = (service: ServiceProcess): string =>
  service
    .log()
    .match(/(?:FATAL ERROR|RangeError|Error:)[^\n]*/)?.[0]
    .slice(0, 200) ?? 'none';
