import { parseArgs } from 'node:util';
import { seedOracle } from '../faults/support/oracle';
import { startOwnPostgres } from '../faults/support/own-postgres';
import { killServiceProcesses, startServiceProcess } from '../faults/support/service-process';
import { attacks } from './attacks';
import type { Attack } from './support/attack';
import type { AttackRow } from './support/attack-table';
import { toText, writeAttackTable } from './support/attack-table';
import { seedAttackedShop } from './support/attacked-shop';
import { startHostileSubgraph } from './support/hostile-subgraph';
import type { Stage } from './support/run-attack-class';
import { isDead, runAttackClass } from './support/run-attack-class';
import { routerSecret } from './classes/internal-errors';
import { heapMegabytes } from './support/verdict';

const productsOfAttackedShop = { full: 20_000, short: 5_000 };
const unusedSearches = 2_000;

interface Options {
  readonly attacks: readonly Attack[];
  readonly seed: number;
  readonly isShort: boolean;
}

/**
 * `npm run attack`: sends every class of attack to a service with little memory while another shop sends requests, and
 * writes the results into SECURITY.md. With `-- --short` or `-- --only NAME…` it writes nothing; `--seed N` repeats the
 * choices of an earlier run. Ends with 1 if a promise was broken, with 2 on wrong usage.
 */
async function main(): Promise<void> {
  const { values } = parseArgs({
    options: {
      short: { type: 'boolean', default: false },
      seed: { type: 'string', default: String(Date.now() % 2 ** 31) },
      only: { type: 'string', multiple: true, default: [] },
      list: { type: 'boolean', default: false },
    },
  });
  const names = attacks.map(({ name }) => name);
  if (values.only.some((name) => !names.includes(name)) || !/^\d{1,10}$/.test(values.seed)) {
    process.stderr.write(`Usage: npm run attack [-- [--short] [--seed N] [--list] [--only (${names.join('|')})]…]\n`);
    process.exitCode = 2;
    return;
  }
  if (values.list) {
    for (const { name, what } of attacks) process.stdout.write(`${name}: ${what}\n`);
    return;
  }
  const chosen = attacks.filter(({ name }) => values.only.length === 0 || values.only.includes(name));
  process.stdout.write(`seed ${values.seed}\n`);
  const rows = await runAttacks({ attacks: chosen, seed: Number(values.seed), isShort: values.short });
  const isWhole = !values.short && chosen.length === attacks.length;
  if (isWhole) await writeAttackTable(rows);
  const broken = rows.filter((row) => row.broken.length > 0);
  process.stdout.write(
    `${rows.length - broken.length} of ${rows.length} attacks survived; seed ${values.seed}` +
      `${broken.length === 0 ? '' : `; broken: ${broken.map(({ name }) => name).join(', ')}`}\n`,
  );
  process.exitCode = broken.length === 0 ? 0 : 1;
}

async function runAttacks({ attacks: chosen, seed, isShort }: Options): Promise<AttackRow[]> {
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
    const rows: AttackRow[] = [];
    for (const target of ['plain', 'federated'] as const) {
      let stage: Stage | undefined;
      for (const attack of chosen.filter((each) => each.target === target)) {
        // One process goes through all attacks of its kind, unless it broke.
        stage ??= { ...shared, ...(await startTarget(target, postgres.serviceUrl)) };
        const row = await runAttackClass(attack, stage);
        rows.push(row);
        process.stdout.write(`${toText(row)}\n`);
        if (row.broken.length === 0 && target === 'plain') continue;
        await endTarget(stage);
        stage = undefined;
      }
      if (stage !== undefined) await endTarget(stage);
    }
    return rows;
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

void main();
