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
  readonly changes: ContentCounter['report'];
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

export const emptyKindReport = () => ({
  /** Objects that the files contain. */
  read: 0,
  created: 0,
  updated: 0,
  unchanged: 0,
  /** Products that a line marks as deleted (soft deletion). */
  deleted: 0,
  /**
   * What the files do not contain: products under --replace (soft deletion), collections and orders, and variants of a
   * product.
   */
  removed: 0,
  /** Deletions of objects that did not exist. */
  skipped: 0,
});

export type KindReport = ReturnType<typeof emptyKindReport>;

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
  /** The locations whose stock was added up. */
  readonly locations: readonly string[];
  /** Variants that the shop does not have, and some of them. */
  readonly unknown: number;
  readonly examples: readonly string[];
}

/** Products that have gained, lost or changed this value. */
export interface ValueChanges {
  readonly added: number;
  readonly removed: number;
  readonly replaced: number;
}

type ContentChange = 'stock' | 'stock_variants' | 'memberships' | `${'images' | 'descriptions'}_${keyof ValueChanges}`;

/** As the statements count them; the sum of stock is text, because it may exceed what a number can hold. */
export type ContentChanges = Readonly<Partial<Record<ContentChange, number | string>>>;

/** Adds up what the statements of an import changed. */
export class ContentCounter {
  readonly #sums = new Map<string, bigint>();

  add(changes: ContentChanges): void {
    for (const [name, change] of Object.entries(changes))
      this.#sums.set(name, (this.#sums.get(name) ?? 0n) + BigInt(change));
  }

  /** The change in the content of a shop's live products. */
  get report() {
    const sum = (name: ContentChange): number => Number(this.#sums.get(name) ?? 0);
    const of = (name: 'images' | 'descriptions'): ValueChanges => ({
      added: sum(`${name}_added`),
      removed: sum(`${name}_removed`),
      replaced: sum(`${name}_replaced`),
    });
    return {
      stock: {
        /** The sum of all stock now, minus the sum before. */
        change: sum('stock'),
        /** Existing variants whose stock changed. */
        variants: sum('stock_variants'),
      },
      images: of('images'),
      descriptions: of('descriptions'),
      /** Products whose collections, or positions in them, were changed by the product lists of collections. */
      memberships: sum('memberships'),
    };
  }
}
