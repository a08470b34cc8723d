import { maximumProductCharacters, maximumVariants } from './check-lengths';
import type { VariantValues } from './record';
import { checkIndexedText } from '../values/text';
import type { CsvCells } from './csv-columns';

/**
 * The variants of one product of a table, a row each. What becomes too large is reported, and later rows are skipped.
 */
export class VariantRows<Column extends string> {
  readonly #variants: VariantValues[] = [];
  readonly #lineOf = new Map<string, number>();
  #heldCharacters = 0;
  #isTooLarge = false;

  /**
   * @param product its id in the file
   * @param idColumn the column of that id
   * @param optionColumn the first column that distinguishes variants
   */
  constructor(
    private readonly product: string,
    private readonly idColumn: Column,
    private readonly optionColumn: Column,
  ) {}

  get all(): readonly VariantValues[] {
    return this.#variants;
  }

  get isEmpty(): boolean {
    return this.#variants.length === 0;
  }

  get isTooLarge(): boolean {
    return this.#isTooLarge;
  }

  canAdd(cells: CsvCells<Column>): boolean {
    if (this.#isTooLarge) return false;
    // Whole cells: a value parsed from a cell may keep the whole cell in memory.
    for (const cell of cells.row.cells) this.#heldCharacters += cell.length;
    const product = JSON.stringify(this.product);
    if (this.#variants.length >= maximumVariants) {
      this.#stop(cells, `expected at most ${maximumVariants} variants of one ${this.idColumn}, got more of ${product}`);
    } else if (this.#heldCharacters > maximumProductCharacters) {
      this.#stop(
        cells,
        `expected rows of at most ${maximumProductCharacters} characters for one ${this.idColumn}, got more for ${product}; give each product a ${this.idColumn} of its own, or leave columns out`,
      );
    }
    return !this.#isTooLarge;
  }

  /** @param read makes the variant that has this position, counted from 1 */
  add(cells: CsvCells<Column>, externalId: string, read: (position: number) => VariantValues): void {
    const earlier = this.#lineOf.get(externalId);
    const location = cells.at(this.optionColumn);
    if (earlier !== undefined) {
      return cells.report(location.fault(`line ${earlier} already has a variant with the same options`));
    }
    cells.check(() => checkIndexedText(externalId, location));
    this.#lineOf.set(externalId, cells.row.line);
    this.#variants.push(read(this.#variants.length + 1));
  }

  #stop(cells: CsvCells<Column>, problem: string): void {
    this.#isTooLarge = true;
    cells.report(cells.at(this.idColumn).fault(problem));
  }
}
