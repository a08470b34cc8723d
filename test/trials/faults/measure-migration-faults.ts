import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { migrate } from '../../../src/database/migrate';
import { projectRoot } from '../../../src/common/project-root';
import { describeSchema } from '../../database/describe-schema';
import type { Moment, PausingDatabase } from '../../database/pausing-migrations';
import { createPausingMigrations } from '../../database/pausing-migrations';
import type { TrialRow } from '../trial';

type Interruption = (db: PausingDatabase) => Promise<void>;

/** Ways to end a `catalog migrate`, run as a separate process, early. */
const interruptions: Readonly<Record<string, Interruption>> = {
  ...Object.fromEntries(
    (['SIGKILL', 'SIGINT', 'SIGTERM'] as const).map((signal) => [
      `catalog migrate interrupted (${signal})`,
      async (db: PausingDatabase) => {
        const command = startMigrate(db.url);
        await db.untilPaused();
        command.kill(signal);
        await once(command, 'close');
      },
    ]),
  ),
  'catalog migrate: its backend terminated': async (db) => {
    const command = startMigrate(db.url);
    await db.sql('SELECT pg_terminate_backend($1)', [await db.untilPaused()]);
    await once(command, 'close');
  },
  'catalog migrate: PostgreSQL crashes (SIGKILL of its backend)': async (db) => {
    const command = startMigrate(db.url);
    process.kill(await db.untilPaused(), 'SIGKILL');
    await once(command, 'close');
    while (!(await isUp(db))) await delay(50);
  },
};

const isUp = ({ sql }: PausingDatabase): Promise<boolean> =>
  sql('SELECT').then(
    () => true,
    () => false,
  );

const startMigrate = (url: string) =>
  spawn(process.execPath, [join(projectRoot, 'dist/src/cli/main.js'), 'migrate'], {
    env: { ...process.env, DATABASE_URL: url },
    stdio: 'ignore',
  });

/**
 * Ends migrations early, each at one of its commands, at its row in the ledger and at COMMIT,
 * and runs `catalog migrate` again.
 * @param serverUrl As a superuser, of a server that may crash
 * @param options Fewer moments: those of each n-th migration, from the last one back
 */
export async function measureMigrationFaults(
  serverUrl: string,
  names: readonly string[] = Object.keys(interruptions),
  options: { readonly parts?: readonly ('middle' | 'ledger' | 'commit')[]; readonly every?: number } = {},
): Promise<TrialRow[]> {
  const { straight, clone, drop } = await createPausingMigrations(serverUrl);
  const expected = JSON.stringify(await describeSchema(straight.sql));
  const { parts = ['middle', 'ledger', 'commit'], every = 1 } = options;
  const tried = [...straight.commands].filter((_, index, all) => (all.length - 1 - index) % every === 0);
  const rows: TrialRow[] = [];
  for (const name of names) {
    const wrong: string[] = [];
    const moments = tried.flatMap(([migration, commands]): Moment[] =>
      parts.map((part) => ({ migration, at: part === 'middle' ? Math.ceil(commands / 2) : part })),
    );
    for (const moment of moments) {
      const db = await clone();
      await db.pauseAt(moment);
      await (interruptions[name] as Interruption)(db);
      await db.sql('DELETE FROM moments.pause');
      const problem = await migrate(db.url).then(
        async () => (JSON.stringify(await describeSchema(db.sql)) === expected ? undefined : 'another schema'),
        (error: Error) => error.message,
      );
      if (problem !== undefined) wrong.push(`${moment.migration} at ${moment.at}: ${problem}`);
      await db.drop();
    }
    rows.push({
      what: name,
      load: `${moments.length} moments: in the middle of each migration, at its row in the ledger, at COMMIT`,
      promise: 'the next `catalog migrate` succeeds, with the schema of an uninterrupted one',
      measured: wrong.length === 0 ? `${moments.length} of ${moments.length}` : wrong.join('; '),
      isKept: wrong.length === 0,
    });
  }
  await drop();
  return rows;
}
