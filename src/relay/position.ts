/**
 * Where an item stands in its list: the value it is sorted by, as text (null sorts last), and its id, which breaks ties.
 * A position is a place and not a row: it stays valid when the row it was taken from is deleted (D10).
 */
export type Position = readonly [sortValue: string | null, id: string];

/** A stretch of a list in list order, bounded by positions that are not part of it. */
export interface KeysetRange {
  readonly after: Position | undefined;
  readonly before: Position | undefined;
  /** At most that many items, counted from the start of the stretch, or from its end when `backwards`. */
  readonly limit: number;
  readonly backwards: boolean;
}

/** A list that can be read by position; what the items are does not matter here. */
export interface KeysetList<Item> {
  /** Items of the stretch, in list order. */
  read(range: KeysetRange): Promise<readonly Item[]>;
  positionOf(item: Item): Position;
  /** Number of items in the whole list. */
  count(): Promise<number>;
}
