/**
 * The position of an item in its list: its sort value as text (null sorts last), and its id, which breaks ties. A
 * position does not refer to a row: it stays valid when the row it was taken from is deleted (D10).
 */
export type Position = readonly [sortValue: string | null, id: string];

/** A range of a list in list order. Its bounds are positions outside the range. */
export interface KeysetRange {
  readonly after: Position | undefined;
  readonly before: Position | undefined;
  /** Maximum number of items, counted from the start of the range, or from its end when `backwards`. */
  readonly limit: number;
  readonly backwards: boolean;
}

/** What was read of a range. */
export interface KeysetSection<Item> {
  /** In list order, from the start of the range, or from its end when it was read backwards. */
  readonly items: readonly Item[];
  /** Whether the range has further items within its limit, for which the answer has no room; there is one item at least then. */
  readonly isShortened: boolean;
}

/** A list that can be read by position, whatever its items are. */
export interface KeysetList<Item> {
  read(range: KeysetRange): Promise<KeysetSection<Item>>;
  /** Whether the range has any item, whatever its limit. */
  hasAny(range: KeysetRange): Promise<boolean>;
  positionOf(item: Item): Position;
  /** Number of items in the whole list. */
  count(): Promise<number>;
}
