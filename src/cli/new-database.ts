import type { Config } from '../config/config';
import { AdministrationError } from '../errors/administration-error';

async function isMissing({ databaseUrl, dataDir }: Config): Promise<boolean> {
  if (databaseUrl !== undefined) return false;
  const { hasEmbeddedDatabase } = await import('../database/embedded-postgres.js');
  return !(await hasEmbeddedDatabase(dataDir));
}

/**
 * Fails where there is no database. Otherwise commands in another directory, or with a mistyped DATA_DIR, would create
 * an empty database there.
 * @throws AdministrationError
 */
export async function demandDatabase(config: Config): Promise<void> {
  if (await isMissing(config)) {
    throw new AdministrationError(
      'NOT_FOUND',
      `There is no database in ${config.dataDir}. Set DATA_DIR to the directory of the service, or DATABASE_URL to its database; ` +
        '`catalog serve` and `catalog shop create` make a new one.',
    );
  }
}

interface Person {
  /** undefined without a terminal to answer on. */
  readonly ask: ((question: string) => Promise<string>) | undefined;
  readonly tell: (line: string) => void;
}

/**
 * Announces that a new database is created, and where; asks for confirmation on a terminal.
 * @throws AdministrationError when the answer is no
 */
export async function allowNewDatabase(config: Config, { ask, tell }: Person): Promise<void> {
  if (!(await isMissing(config))) return;
  const { dataDir } = config;
  if (ask !== undefined) {
    const answer = await ask(`There is no database in ${dataDir} yet. Create one there? [y/N] `);
    if (!/^y(es)?$/i.test(answer.trim()))
      throw new AdministrationError(
        'NOT_FOUND',
        'Nothing was created. Set DATA_DIR or DATABASE_URL to use another database.',
      );
  }
  tell(`creating a new database in ${dataDir}`);
}
