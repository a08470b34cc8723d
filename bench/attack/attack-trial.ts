import { seedOracle } from '../../test/support/oracle';
import { startOwnPostgres } from '../../test/support/own-postgres';
import { killServiceProcesses, startServiceProcess } from '../../test/support/service-process';
import type { Trial, TrialRow } from '../trial';
import { attacks } from './attacks';
import type { Attack } from './attack';
import { toTrialRow } from './attack-row';
import { seedAttackedShop } from './attacked-shop';
import { startHostileSubgraph } from './hostile-subgraph';
import type { Stage } from './run-attack-class';
import { isDead, runAttackClass } from './run-attack-class';
import { routerSecret } from './classes/internal-errors';
import { heapMegabytes } from './verdict';

const productsOfAttackedShop = { full: 20_000, short: 5_000 };
const unusedSearches = 2_000;

/** Sends every class of attack to a service with little memory while another shop sends requests. */
export const trial: Trial = {
  what: 'hostile clients beside a shop that sends requests',
  parts: attacks.map(({ name }) => name),
  async run({ parts, seed, isShort }, report) {
    await runAttacks({ attacks: attacks.filter(({ name }) => parts.includes(name)), seed, isShort }, report);
  },
};

interface Options {
  readonly attacks: readonly Attack[];
  readonly seed: number;
  readonly isShort: boolean;
}

async function runAttacks({ attacks: chosen, seed, isShort }: Options, report: (row: TrialRow) => void): Promise<void> {
  const postgres = await startOwnPostgres();
  let cleaning: Promise<void> | undefined;
  const cleanUp = () =>
    (cleaning ??= (async () => {
      await killServiceProcesses();
      await postgres.remove();
    })());
  const interrupt = () => {
    // The run would wait for statements that are still in progress.
    void postgres
      .stop()
      .then(cleanUp)
      .finally(() => process.exit(130));
  };
  for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, interrupt);
  try {
    const oracle = await seedOracle(postgres.sql);
    const shop = await seedAttackedShop(postgres.sql, productsOfAttackedShop[isShort ? 'short' : 'full']);
    // Half of them are in no cache and need the database.
    const searches = oracle.addSearches(unusedSearches);
    const questions = searches.flatMap((search, turn) => [
      search,
      oracle.questions[turn % oracle.questions.length] ?? search,
    ]);
    const shared = { oracle, questions, shop, sql: postgres.sql, ownerUrl: postgres.url, seed, isShort };
    for (const target of ['plain', 'federated'] as const) {
      let stage: Stage | undefined;
      for (const attack of chosen.filter((each) => each.target === target)) {
        // One process goes through all attacks of its kind, unless it broke.
        stage ??= { ...shared, ...(await startTarget(target, postgres.serviceUrl)) };
        const row = await runAttackClass(attack, stage);
        report(toTrialRow(row));
        if (row.broken.length === 0 && target === 'plain') continue;
        await endTarget(stage);
        stage = undefined;
      }
      if (stage !== undefined) await endTarget(stage);
    }
  } finally {
    await cleanUp();
  }
}

/** With little memory, and limits of requests that let an attacker send as much as 25 keys could. */
async function startTarget(
  target: Attack['target'],
  databaseUrl: string,
): Promise<Pick<Stage, 'service' | 'subgraph'>> {
  const subgraph = target === 'federated' ? await startHostileSubgraph() : undefined;
  const service = await startServiceProcess(databaseUrl, {
    NODE_OPTIONS: `--max-old-space-size=${heapMegabytes}`,
    RATE_LIMIT_REQUESTS: '3000',
    ...(subgraph === undefined
      ? {}
      : {
          SUBGRAPHS: `notes=${subgraph.url}`,
          SUBGRAPH_POLL_SECONDS: '1',
          SUBGRAPH_TIMEOUT_MS: '600',
          SUBGRAPH_SECRET: routerSecret,
        }),
  });
  return { service, subgraph };
}

async function endTarget({ service, subgraph }: Stage): Promise<void> {
  if (!isDead(service)) await service.end('SIGKILL');
  await subgraph?.close();
}
