import type { Sql } from '../../database/sql';
import { sql } from '../../database/sql';
import { isTooLarge, toPageText, toShortenedText, toSqlLiteral } from '../operation-reads';
import type { ChangeEntry, ChangeSection, HistoryAnswer } from './change-statement';
import { changeColumns, toChangesStatement, toHistory } from './change-statement';
import { factsOf, objectTypes } from './object-type';
import { dataVersionOf } from './page-statement';
import type { OutputRow, ShopRow, ShopStatements } from './shop-statements';
import { redactionOf, toObjects, toSection } from './shop-statements';
import { shopTables } from './shop-tables';

/** The change feed of one shop. */
export class FeedRows {
  readonly #statements: ShopStatements;

  constructor(statements: ShopStatements) {
    this.#statements = statements;
  }

  /** Whether the shop's data had this version when the caller was authenticated. */
  isAtVersion(dataVersion: string): boolean {
    return this.#statements.isAtVersion(dataVersion);
  }

  /**
   * A section of the change feed, the shop's history beside the requested epoch, and the version, all from one
   * snapshot.
   */
  async changes(section: ChangeSection, epoch: string | null): Promise<ChangesRead> {
    const rows = { rows: toChangesStatement(this.#statements.shop, section), columns: changeColumns };
    const read = async (page: Sql) => {
      const value = sql`SELECT ${toHistory(this.#statements.shop, epoch)} || ${partEnd} || coalesce((${page}), ${partEnd})`;
      const { version, texts } = await this.#statements.readValue(value);
      const [first = '', ...more] = texts;
      const [history = '', found = '', isEmpty] = first.split(partSeparator);
      return { version, history, texts: isEmpty === undefined ? [found, ...more] : [] };
    };
    const paged = await read(toPageText(rows, this.#statements.pageBytes, section.limit));
    const page = isTooLarge(paged.texts) ? await read(toShortenedText(rows, this.#statements.pageBytes)) : paged;
    if (isTooLarge(page.texts)) throw this.#statements.tooLarge();
    const { items, isShortened } = toSection(rows, page.texts);
    return {
      version: BigInt(page.version),
      history: JSON.parse(page.history) as HistoryAnswer,
      entries: await this.#statements.convertInPieces(items, (some) => some.map(toChangeEntry), redactionOf('orders')),
      isShortened,
    };
  }

  /** The shop's history on the primary, which a replica may not have yet. */
  async primaryHistory(epoch: string | null): Promise<Omit<ChangesRead, 'entries' | 'isShortened'>> {
    const statement = sql`SELECT ${dataVersionOf(this.#statements.shop)}, ${toHistory(this.#statements.shop, epoch)}`;
    const [version, history] = (await this.#statements.readPrimary(statement)) as [string, string];
    return { version: BigInt(version), history: JSON.parse(history) as HistoryAnswer };
  }
}

/** The result of one statement about the change feed. */
interface ChangesRead {
  readonly version: bigint;
  readonly history: HistoryAnswer;
  readonly entries: readonly ChangeEntry[];
  /** Whether further entries of the section have no room in the answer. */
  readonly isShortened: boolean;
}

/** Never in a JSON text, like the separators of columns and rows. */
const partSeparator = '\x1d';
const partEnd = toSqlLiteral(partSeparator);

function toChangeEntry([entry = '', node = '']: OutputRow): ChangeEntry {
  const [kind, id, version] = JSON.parse(entry) as [number, string, string];
  const type = objectTypes[kind - 1] as ChangeEntry['type'];
  const { table } = factsOf[type];
  const [row = null] =
    node === 'null' ? [] : toObjects<ShopRow>(redactionOf(table), shopTables[table].columns, [[node]]);
  return { type, id, version, row };
}
