import type { CatalogRecord, JoinedVariantRecord, RecordKind } from './record';
import type { DroppedCounter } from './dropped';
import type { LinkedRows } from './linked-rows';
import type { LocalDateFormat } from '../values/local-date';
import type { Problems } from './problems';
import type { SourceFile } from '../source/source-file';

/** The part of a file that format detection uses. */
export interface FileSample {
  /** The first non-blank line. */
  readonly firstLine: string;
  /** The cells of the first row parsed as CSV: trimmed, in lower case. */
  readonly header: ReadonlySet<string>;
  /** The members at the beginning of a JSON file, by path: `products[].variants[].price`, `[].id`, `id`. */
  readonly members: ReadonlySet<string>;
  /** The first rows parsed as CSV, unchanged, header first. */
  readonly rows: readonly (readonly string[])[];
}

/** The spellings of a column, or any other content as messages describe it. */
export type Absent = readonly string[] | string;

/** One kind of file: how to recognize it, and how to turn it into a stream of records. */
export interface Format<Name extends string = string> {
  readonly name: Name;
  /** Description of such a file and its required content. Default: in descriptions.ts. */
  readonly description?: string;
  /** The kinds that a file of this format can hold, and that `--replace` therefore removes. */
  readonly kinds: readonly RecordKind[];
  /** Whether its objects can have our ids, which `--keep-ids` keeps. */
  readonly hasIds?: true;
  /** The delimiter of a table, where the format knows it. */
  readonly delimiter?: string | undefined;
  /** The format of a file that must be in the same import. */
  readonly companion?: Companion | undefined;
  /** Describes how the content of a file would be imported. */
  readonly explains: TableExplained | JsonExplained;
  /** What is missing from a file for it to match this format; empty if it matches. */
  absentFrom(sample: FileSample): readonly Absent[];
  read(source: SourceFile, context: ReadContext): AsyncIterable<CatalogRecord>;
}

export interface TableExplained {
  /** The field that a column becomes, by the format's name for the column. */
  readonly column: (column: string) => string;
  /** The spellings of each column. */
  readonly names: Readonly<Record<string, readonly string[]>>;
}

/** The fields that JSON members become, by their names; those of inner objects as `variants.price`. */
export interface JsonExplained {
  readonly expected: Readonly<Record<string, string>>;
  /** Further members that are read, but not reported when missing. */
  readonly others: Readonly<Record<string, string>>;
  /** Members of an outer object that contain the objects. */
  readonly wrappers: readonly string[];
  /** The prefix of an object's member names; undefined for objects that are not read. */
  readonly prefixOf?: (object: Readonly<Record<string, unknown>>) => string | undefined;
}

/** A file that belongs to another one, as PrestaShop's combinations belong to its products. */
export interface Companion {
  readonly format: string;
  /** Description of the file. */
  readonly title: string;
  /** Whether the companion must be read first. */
  readonly isFirst: boolean;
}

/** A column of a file, and the format's name for it. */
export interface ReadColumn {
  readonly column: string;
  readonly index: number;
}

/** The context in which a format reads one file: what the format needs, and where it reports everything but records. */
export interface ReadContext {
  readonly dropped: DroppedCounter;
  readonly problems: Problems;
  /** The format of local dates; undefined when the file itself must show it. */
  readonly dateFormat: LocalDateFormat | undefined;
  /** The shop's domain, from which some platforms derive product URLs. */
  readonly domain: string;
  /** The shop's `last_sync_at` after the import, in ISO 8601. */
  readonly asOf: string;
  /** Whether new objects get the ids that the file gives them. */
  readonly keepsIds: boolean;
  /** Whether the file contains only changes since some time. */
  readonly isPartial: boolean;
  /** Reports something worth checking that does not prevent the import. */
  warn(text: string): void;
  /**
   * Reports the columns that the format expects and the file lacks, and the columns of the file that the format does
   * not know.
   */
  noteColumns(missing: readonly string[], unread: readonly string[], read?: readonly ReadColumn[]): void;
  /** The variants in the files that are read first, by the ids of their products. */
  readonly joined: LinkedRows<JoinedVariantRecord>;
}
