import type { Config } from '../config';
import { hasEmbeddedDatabase } from '../database/embedded-postgres';
import { AdministrationError } from '../errors/administration-error';

const isMissing = async ({ database, dataDirectory }: Config): Promise<boolean> =>
  database.url === undefined && !(await hasEmbeddedDatabase(dataDirectory));

/**
 * Commands in another directory, or with a mistyped DATA_DIR, would make a database there, and find nothing in it.
 * @throws AdministrationError
 */
export async function demandDatabase(config: Config): Promise<void> {
  if (await isMissing(config)) {
    throw new AdministrationError(
      'NOT_FOUND',
      `There is no database in ${config.dataDirectory}. Set DATA_DIR to the directory of the service, or DATABASE_URL to its database; ` +
        '`catalog serve` and `catalog shop create` make a new one.',
    );
  }
}

interface Person {
  /** undefined where nobody can answer. */
  readonly ask: ((question: string) => Promise<string>) | undefined;
  readonly tell: (line: string) => void;
}

/**
 * Before a new database is made: says where, and asks whoever sits at a terminal.
 * @throws AdministrationError when the answer is no
 */
export async function allowNewDatabase(config: Config, { ask, tell }: Person): Promise<void> {
  if (!(await isMissing(config))) return;
  const { dataDirectory } = config;
  if (ask !== undefined) {
    const answer = await ask(`There is no database in ${dataDirectory} yet. Make one there? [y/N] `);
    if (!/^y(es)?$/i.test(answer.trim()))
      throw new AdministrationError('NOT_FOUND', 'Nothing was made. DATA_DIR or DATABASE_URL names another database.');
  }
  tell(`making a new database in ${dataDirectory}`);
}
