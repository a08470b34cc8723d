import type { CatalogRecord, JoinedVariantRecord, RecordKind } from './record';
import type { Dropped } from './dropped';
import type { LocalDateFormat } from './values/local-date';
import type { Problems } from './problems';
import type { SourceFile } from './source/source-file';
import type { SpreadsheetDamage } from './spreadsheet-damage';

/** What a detector sees of a file. */
export interface FileSample {
  /** The first line that is not blank. */
  readonly firstLine: string;
  /** The cells of the first row read as CSV: trimmed, in lower case. */
  readonly header: ReadonlySet<string>;
  /** The members that the beginning of a JSON file has, by path: `products[].variants[].price`, `[].id`, `id`. */
  readonly members: ReadonlySet<string>;
  /** The first rows read as CSV, as they are, header first. Of workbooks the header alone. */
  readonly rows: readonly (readonly string[])[];
}

/** One kind of file: how to recognise it, and how to turn it into records, one after the other. */
export interface Format<Name extends string = string> {
  readonly name: Name;
  /** For people: what such a file is, and what it must have. */
  readonly description: string;
  /** What a file of this format can hold, and `--replace` therefore empties. */
  readonly kinds: readonly RecordKind[];
  /** Of a table: the delimiter, where the format knows it. */
  readonly delimiter?: string | undefined;
  /** The format of a file that must be in the same import. */
  readonly companion?: Companion | undefined;
  /** What becomes of what a file holds: for people, before it is read. */
  readonly explains: TableExplained | JsonExplained;
  recognises(sample: FileSample): boolean;
  read(source: SourceFile, context: ReadContext): AsyncIterable<CatalogRecord>;
}

/** What a column becomes, by the name that the format has for it. */
export interface TableExplained {
  readonly column: (column: string) => string;
}

/** What the members of JSON become, by their names; those of inner objects as `variants.price`. */
export interface JsonExplained {
  readonly expected: Readonly<Record<string, string>>;
  /** Members that are read as well, and that nobody misses. */
  readonly others: Readonly<Record<string, string>>;
  /** Members of an outer object in which the objects stand. */
  readonly wrappers: readonly string[];
  /** What the names of an object's members begin with; undefined for objects that are not read. */
  readonly prefixOf?: (object: Readonly<Record<string, unknown>>) => string | undefined;
}

/** A file that belongs to another one, as PrestaShop's combinations to its products. */
export interface Companion {
  readonly format: string;
  /** For people: what the file is. */
  readonly title: string;
  /** Whether the companion is to be read before. */
  readonly isFirst: boolean;
}

/** A column of a file, and what its format calls it. */
export interface ReadColumn {
  readonly column: string;
  readonly index: number;
  readonly name: string;
}

/** What a format is told, and tells, beside the records of one file. */
export interface ReadContext {
  readonly dropped: Dropped;
  readonly problems: Problems;
  readonly damage: SpreadsheetDamage;
  /** How dates in local form are meant; undefined when the file has to show it. */
  readonly dateFormat: LocalDateFormat | undefined;
  /** Something to look at, which does not keep the file from being imported. */
  warn(text: string): void;
  /** Columns that the format expects and the file does not have, and columns of the file that the format does not know. */
  noteColumns(missing: readonly string[], unread: readonly string[], read?: readonly ReadColumn[]): void;
  /** The variants that another file of the import has of a product. */
  variantsOf(productId: string): Promise<readonly JoinedVariantRecord[]>;
}
