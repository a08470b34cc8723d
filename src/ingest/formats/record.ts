import type {
  ColumnName,
  ImportedMember,
  KindOf,
  ObjectTable,
  ProductStatus,
  TypeOf,
  VariantOption,
} from '../../catalog/model';

/**
 * The output of every format, and the only input of the importer. Members that are columns have the columns' names, so
 * that a batch of records is sent to PostgreSQL unchanged, as one JSON text. Values are final: decimals in plain
 * notation (D21), timestamps `2026-01-31T12:00:00.000Z` (D23), whole numbers as text of digits where they may exceed 32
 * bits (D22).
 */
export type CatalogRecord =
  | ShopRecord
  | ProductRecord
  | DeletedProductRecord
  | CollectionRecord
  | OrderRecord
  | StockRecord
  | JoinedVariantRecord;

/** The kinds of object that a file can contain and `--replace` can remove. There is always exactly one shop. */
export type RecordKind = 'product' | 'collection' | 'order';

interface Located {
  /** The line where the object starts in its file, counted from 1. */
  readonly line: number;
  /** The line numbers of its other rows. */
  readonly rows?: readonly number[] | undefined;
}

/**
 * The values of columns by kind. Timestamps are null if a format has none; amounts and counts are text, which keeps
 * their digits.
 */
interface ImportedValues {
  readonly externalId: string;
  readonly status: ProductStatus;
  readonly tags: readonly string[];
  readonly options: readonly VariantOption[];
  readonly flag: boolean;
  readonly count: string;
}

type ValueOf<Kind, Type> = Kind extends keyof ImportedValues
  ? ImportedValues[Kind]
  : Kind extends 'list'
    ? readonly object[] | null
    : Type extends 'String!'
      ? string
      : string | null;

/** The values of a table's columns (src/catalog/model.ts), under the columns' names. */
type ValuesOf<Table extends ObjectTable> = KeptId & {
  readonly [Member in ImportedMember<Table> as ColumnName<Member>]: ValueOf<
    KindOf<Table, Member>,
    TypeOf<Table, Member>
  >;
};

/** The id that a new object gets under `--keep-ids`; otherwise one is generated. */
interface KeptId {
  readonly id?: string;
}

/** Members that are missing from the line keep their stored values. */
export interface ShopRecord extends Located {
  readonly kind: 'shop';
  readonly values: ShopValues;
  readonly lastSyncAt: string | null;
}

export interface ShopValues {
  readonly name?: string | null;
  readonly platform?: string | null;
  readonly currency?: string | null;
  readonly plan_status?: string;
  readonly created_at?: string;
}

export interface ProductRecord extends Located {
  readonly kind: 'product';
  readonly values: ProductValues;
  readonly variants: readonly VariantValues[];
  /** The same object for all products that lack the same members; undefined if the file provides all. */
  readonly absent?: AbsentFromProducts | undefined;
}

/**
 * Members that the file has no column for. A stored object keeps them; a new object gets the values in its record. See
 * docs/import.md for which column carries what.
 */
export interface AbsentFromProducts {
  /** `positions` are those of the memberships. */
  readonly product: ReadonlySet<keyof ProductValues | 'positions'>;
  readonly variant: ReadonlySet<keyof VariantValues>;
  /** The weights are in grams because no column gives a unit: a stored weight that is equal in another unit is kept. */
  readonly weightUnit: boolean;
  /**
   * The number of option values in the rows. With fewer than three, a row may match several variants, which are then
   * kept as they are.
   */
  readonly optionValues: OptionCount;
  /** The file contains no variants: a product keeps its stored ones. */
  readonly variants?: true;
}

export const optionNumbers = [1, 2, 3] as const;
export type OptionCount = 0 | (typeof optionNumbers)[number];

/** A product that the shop has deleted. */
interface DeletedProductRecord extends Located {
  readonly kind: 'deleted-product';
  readonly externalId: string;
}

/**
 * A format without timestamps leaves created_at and updated_at null. The first import then sets both to the current
 * time, a millisecond later for each product, and a later import updates updated_at when something changed. `published`
 * is for formats that know whether a product is published but not when: published_at is then the time of creation, and
 * is kept while the product stays published.
 */
export interface ProductValues extends ValuesOf<'products'> {
  readonly published: boolean | null;
}

export type VariantValues = ValuesOf<'variants'>;

/** The stock of a variant at one location. The stock of a variant is the sum over all locations in an import. */
export interface StockRecord extends Located {
  readonly kind: 'stock';
  readonly handle: string;
  readonly variantId: string;
  readonly options: readonly VariantOption[];
  readonly location: string;
  /** Null if the location does not stock the variant. */
  readonly available: string | null;
}

/** A variant of a product that is in another file. */
export interface JoinedVariantRecord extends Located {
  readonly kind: 'variant';
  readonly file: string;
  readonly productId: string;
  readonly variant: UnpositionedVariant;
  /** Members that the file has no column for. */
  readonly absent: readonly (keyof VariantValues)[];
}

/** A variant whose position in its product is not known yet. */
export interface VariantOfRow extends Omit<VariantValues, 'external_id'> {
  /** Null if it is to be made from the product's id and the options. */
  readonly external_id: string | null;
}

export interface UnpositionedVariant extends VariantOfRow {
  readonly line: number;
  /** The amount to add to the product's price. */
  readonly addPrice?: string | null;
  readonly addWeight?: string | null;
}

export interface CollectionRecord extends Located {
  readonly kind: 'collection';
  readonly values: CollectionValues;
  /** Members that the file has no column for, as with products. */
  readonly absent?: ReadonlySet<keyof CollectionValues> | undefined;
  /** The external IDs of its products, in its order, which replace its members; undefined where the file has none. */
  readonly products?: readonly string[] | undefined;
}

export type CollectionValues = ValuesOf<'collections'>;

/** The importer removes e-mail addresses from every text of an order, in every format (D25). */
export interface OrderRecord extends Located {
  readonly kind: 'order';
  readonly values: OrderValues;
  /**
   * Members that the file has no column for, as with products. The later of the stored and the read `updated_at` is
   * used, because a file may have only some of the columns.
   */
  readonly absent?: ReadonlySet<keyof OrderValues> | undefined;
}

export type OrderValues = ValuesOf<'orders'>;
