import type { Prisma } from '../database/generated/client';

/** What a list is sorted by, ties broken by id. The column is never null, and leads an index behind shop_id. */
export interface SortKey {
  readonly column: string;
  readonly type: 'timestamptz' | 'numeric' | 'bigint' | 'text';
  /** The member of a row that says its value. */
  readonly member: string;
  /** What the column holds for a row whose member is null: the value that sorts last. */
  readonly nullAs?: 'infinity';
  /** The column is no member of the rows and must be read beside them. */
  readonly isExtra?: boolean;
}

/** A list of one table: which rows, in which order. */
export interface ShopList {
  readonly where: readonly Prisma.Sql[];
  readonly sort: SortKey;
  /** The same list from its end. */
  readonly reverse: boolean;
  readonly path: ListPath;
}

/**
 * How the rows of a list are found: by a walk along an index in the order of the list, holding each row against the rest of the
 * filter. Where rows can be searched for, a walk that does not meet enough of them soon is given up for a search for all of them,
 * which are few then, and a sort (docs/decisions.md 26).
 */
export interface ListPath {
  /** Conditions that the index of the walk answers: every row met meets them. */
  readonly along: readonly Prisma.Sql[];
  /** What the walk must look at in each row. */
  readonly rest: readonly Prisma.Sql[];
  /** The walk goes along the products of this tag. */
  readonly tag?: string | undefined;
  /** Conditions that lead to the rows wherever they are, beside those of the list; unset where there is only the walk. */
  readonly search?: readonly Prisma.Sql[];
  /** The list names its rows: they are searched for at once. */
  readonly isLookUp: boolean;
}
