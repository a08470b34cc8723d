import type { SourceLocation } from '../values/import-error';
import type { Problems } from './problems';
import type { CatalogRecord } from './record';
import { parseJsonLine } from '../values/json-line';
import { JsonMembers } from './json-members';

/** How `catalog export` begins its first and its last line. */
const startOfShop = '{"type":"shop"';
const endOfExport = '{"type":"complete"';

const noObjects = () => ({ products: 0, variants: 0, collections: 0, orders: 0 });

/**
 * Checks that the exports in a snapshot are complete: the last line of an export counts its objects. Snapshots of other
 * programs have no such line, and one file may hold several exports.
 */
export class ExportLines {
  /** The first line of an export, until its last one. */
  #first: SourceLocation | undefined;
  #counts = noObjects();

  constructor(private readonly problems: Problems) {}

  /**
   * Notices the first line of an export.
   * @throws ImportError for an export that is not a snapshot
   */
  begin(text: string, location: SourceLocation): void {
    if (!text.startsWith(startOfShop) || !text.includes('"export":')) return;
    if (text.includes('"export":"jsonl"')) {
      throw location.fault(
        'exports with --format jsonl cannot be imported, because variants are separate from their products; ' +
          'export the shop with --format snapshot',
      );
    }
    this.requireEnd();
    this.#reset();
    this.#first = location;
  }

  count(record: CatalogRecord): void {
    if (record.kind === 'product') {
      this.#counts.products += 1;
      this.#counts.variants += record.variants.length;
    } else if (record.kind === 'collection') this.#counts.collections += 1;
    else if (record.kind === 'order') this.#counts.orders += 1;
  }

  /** Whether a line is the last one of an export, which has nothing to import. */
  isEnd(text: string, location: SourceLocation): boolean {
    if (!text.startsWith(endOfExport)) return false;
    this.problems.readOr(
      () => this.#checkCounts(new JsonMembers(parseJsonLine(text, location), location, this.problems)),
      undefined,
    );
    if (this.#first === undefined) {
      this.problems.addFatal(
        location.fault('the export that ends here is missing its first line; export the shop again'),
      );
    }
    this.#reset();
    return true;
  }

  /** Skipped after an error, which the counts would only repeat. */
  #checkCounts(last: JsonMembers): void {
    if (!this.problems.isEmpty) return;
    for (const [name, count] of Object.entries(this.#counts)) {
      const expected = last.count(name);
      if (expected === String(count)) continue;
      last.report(name, (location) =>
        location.fault(`the export contained ${expected}, but the file has ${count}; export the shop again`),
      );
    }
  }

  /** Reports an export without its last line. */
  requireEnd(): void {
    if (this.#first === undefined) return;
    this.problems.addFatal(
      this.#first.fault(
        'the export that starts here is incomplete: its last line ("type": "complete") is missing; export the shop again',
      ),
    );
  }

  #reset(): void {
    this.#first = undefined;
    this.#counts = noObjects();
  }
}
