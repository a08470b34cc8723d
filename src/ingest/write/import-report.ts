import type { RecordKind } from '../formats/record';
import type { ReadAs } from '../source/source-file';
import type { Problem } from '../values/import-error';

/** The result of an import. Can be serialized as JSON; contains no e-mail address (D25). */
export interface ImportReport {
  readonly shop: string;
  readonly dryRun: boolean;
  readonly replace: boolean;
  readonly files: readonly FileReport[];
  readonly shops: KindReport;
  readonly products: KindReport;
  readonly variants: KindReport;
  readonly collections: KindReport;
  readonly orders: KindReport;
  readonly changes: ContentReport;
  /** The result of files of stock by location; undefined without one. */
  readonly inventory: InventoryReport | undefined;
  /** Under --replace: the objects of each kind that the files can hold and do not contain. */
  readonly removals: readonly Removal[];
  /** Objects with problems that were left out, as `--skip-invalid` allows. */
  readonly leftOut: readonly Problem[];
  /** Values that are probably unintended, and were imported anyway. */
  readonly warnings: readonly string[];
  readonly dropped: {
    /** E-mail cells and members that were not stored, and names and tags from which an address was removed. */
    readonly emails: number;
    /** Members of snapshot lines that have no meaning here, by name. */
    readonly ignoredMembers: Readonly<Record<string, number>>;
  };
  readonly lastSyncAt: string;
  readonly durationMilliseconds: number;
}

export interface FileReport extends ReadAs {
  readonly file: string;
  /** A format's name, or that of a map. */
  readonly format: string;
  readonly lines: number;
  readonly records: number;
  /** Columns of the format that the file lacks: their fields keep the stored values. */
  readonly missingColumns: readonly string[];
  /** Columns of the file that the format does not read. */
  readonly unreadColumns: readonly string[];
}

export interface KindReport {
  /** Objects that the files contain. */
  read: number;
  created: number;
  updated: number;
  unchanged: number;
  /** Products that a line marks as deleted (soft deletion). */
  deleted: number;
  /**
   * What the files do not contain: products under --replace (soft deletion), collections and orders, and variants of a
   * product.
   */
  removed: number;
  /** Deletions of objects that did not exist. */
  skipped: number;
}

export const emptyKindReport = (): KindReport => ({
  read: 0,
  created: 0,
  updated: 0,
  unchanged: 0,
  deleted: 0,
  removed: 0,
  skipped: 0,
});

/** What `--replace` removes from the shop, or would remove. */
export interface Removal {
  readonly kind: RecordKind;
  readonly count: number;
  /** The number that the shop had before. */
  readonly of: number;
  /** Some of them by name, such as a product's title and id. */
  readonly examples: readonly string[];
}

/** Variants whose stock the files contain. */
export interface InventoryReport {
  readonly variants: number;
  readonly updated: number;
  readonly unchanged: number;
  /** Variants that the shop does not have, and some of them. */
  readonly unknown: number;
  readonly examples: readonly string[];
}

/** The change in the content of a shop's live products. */
export interface ContentReport {
  readonly stock: {
    /** The sum of all stock now, minus the sum before. */
    readonly change: number;
    /** Existing variants whose stock changed. */
    readonly variants: number;
  };
  readonly images: ValueChanges;
  readonly descriptions: ValueChanges;
  /** Products whose collections, or positions in them, were changed by the product lists of collections. */
  readonly memberships: number;
}

/** Products that have gained, lost or changed this value. */
export interface ValueChanges {
  readonly added: number;
  readonly removed: number;
  readonly replaced: number;
}

/** As the statements count them; the sum is text, because it may exceed what a number can hold. */
export interface ContentChanges {
  readonly stock: string;
  readonly stock_variants?: number;
  readonly images_added?: number;
  readonly images_removed?: number;
  readonly images_replaced?: number;
  readonly descriptions_added?: number;
  readonly descriptions_removed?: number;
  readonly descriptions_replaced?: number;
  readonly memberships?: number;
}

/** Adds up what the statements of an import changed. */
export class ContentCounter {
  readonly #sums = new Map<string, bigint>();

  add(changes: ContentChanges): void {
    for (const [name, change] of Object.entries(changes))
      this.#sums.set(name, (this.#sums.get(name) ?? 0n) + BigInt(change as string | number));
  }

  get report(): ContentReport {
    const sum = (name: string): number => Number(this.#sums.get(name) ?? 0);
    const of = (name: string): ValueChanges => ({
      added: sum(`${name}_added`),
      removed: sum(`${name}_removed`),
      replaced: sum(`${name}_replaced`),
    });
    return {
      stock: { change: sum('stock'), variants: sum('stock_variants') },
      images: of('images'),
      descriptions: of('descriptions'),
      memberships: sum('memberships'),
    };
  }
}
