import type { KeyUsage } from '../../auth/api-keys';
import { readKeyUsage } from '../../auth/api-keys';
import type { Sql } from '../../database/sql';
import type {
  BucketGroups,
  OrderGrouping,
  OrderSections,
  PriceGroup,
  SalesGroup,
  ProductTrait,
  ValueGroup,
} from './figure-statement';
import {
  figureColumns,
  toOneStatement,
  toOrderCount,
  toOrderExtent,
  toOrderGroups,
  toOutOfStock,
  toPriceGroups,
  toRolledUpGroups,
  toSales,
  toValueGroups,
} from './figure-statement';
import type { OutputRow, ShopStatements } from './shop-statements';
import type { RangePath } from './shop-list';

/** Figures of one shop: its orders, its products and the use of its keys. */
export class FigureRows {
  constructor(private readonly statements: ShopStatements) {}

  /** The usage of each key on the days up to today, latest first. */
  keyUsage(days: number): Promise<readonly KeyUsage[]> {
    return this.statements.readModels((database, shopId) => readKeyUsage(database, shopId, days, Date.now));
  }

  /** When the first and the last order were placed; null when there is none. */
  async orderExtent(): Promise<{ readonly first: string | null; readonly last: string | null }> {
    const text = await this.statements.readText(toOrderExtent(this.statements.shop));
    const [first, last] = JSON.parse(text ?? '[null,null]') as [string | null, string | null];
    return { first, last };
  }

  /** The number of orders on a path; counting stops at `most` + 1. */
  async orderCount(path: RangePath, most: number): Promise<number> {
    return Number(await this.statements.readText(toOrderCount(this.statements.shop, path, most)));
  }

  /**
   * Orders counted and summed up by each grouping, all in one version, in no particular order; buckets without orders
   * may be absent.
   * @param path leads to all of them, and perhaps to others
   * @param bounds where the buckets begin, and where the last one ends
   */
  orderGroups(
    groupings: readonly OrderGrouping[],
    path: RangePath,
    bounds: readonly string[],
    where: readonly Sql[],
  ): Promise<readonly (readonly BucketGroups[])[]> {
    return this.#figuresOfOneMoment(
      groupings.map((grouping) => toOrderGroups(this.statements.shop, grouping, path, bounds, where)),
    );
  }

  /**
   * The same, mostly from rollups.
   * @param where conditions on columns that `order_figures` has too
   */
  rolledUpOrderGroups(
    groupings: readonly OrderGrouping[],
    sections: OrderSections,
    where: readonly Sql[],
  ): Promise<readonly (readonly BucketGroups[])[]> {
    return this.#figuresOfOneMoment(
      groupings.map((grouping) => toRolledUpGroups(this.statements.shop, grouping, sections, where)),
    );
  }

  /** The best-selling products among the orders on a path. */
  sales(
    ...given: Parameters<typeof toSales> extends readonly [Sql, ...infer Rest] ? Rest : never
  ): Promise<readonly SalesGroup[]> {
    return this.#figures(toSales(this.statements.shop, ...given));
  }

  /** Visible products by a text, the most frequent first; the last group is that of all texts and of none. */
  productValues(trait: ProductTrait, most: number): Promise<readonly ValueGroup[]> {
    return this.#figures(toValueGroups(this.statements.shop, trait, most));
  }

  /** Visible products by their lowest price, those without one last. */
  productPrices(bounds: readonly string[]): Promise<readonly PriceGroup[]> {
    return this.#figures(toPriceGroups(this.statements.shop, bounds));
  }

  /** Visible products that have no stock, and that may have some, because a quantity is not tracked. */
  async productsOutOfStock(): Promise<{ readonly outOfStock: number; readonly stockUnknown: number }> {
    const text = await this.statements.readText(toOutOfStock(this.statements.shop));
    const [all, stockUnknown] = JSON.parse(text ?? '[0,0]') as [number, number];
    return { outOfStock: all - stockUnknown, stockUnknown };
  }

  async #figures<Figure>(rows: Sql): Promise<readonly Figure[]> {
    return this.#parse(await this.statements.readBounded({ rows, columns: figureColumns }));
  }

  /**
   * Runs the statements concurrently; if a write was committed between their snapshots, repeats them as a single one.
   */
  async #figuresOfOneMoment<Figure>(statements: readonly Sql[]): Promise<readonly (readonly Figure[])[]> {
    const read = await Promise.all(
      statements.map((rows) => this.statements.readVersioned({ rows, columns: figureColumns })),
    );
    if (new Set(read.map(({ version }) => version)).size <= 1) {
      return Promise.all(read.map(({ rows }) => this.#parse<Figure>(rows)));
    }
    this.statements.release(read.flatMap(({ rows }) => rows.flat()));
    const figures = await this.#figures<readonly [index: number, figure: Figure]>(toOneStatement(statements));
    return statements.map((_, index) => figures.filter(([own]) => own === index).map(([, figure]) => figure));
  }

  #parse<Figure>(rows: readonly OutputRow[]): Promise<readonly Figure[]> {
    return this.statements.convertInPieces(rows, (some) => some.map(([figure = '']) => JSON.parse(figure) as Figure));
  }
}
