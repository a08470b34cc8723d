import type { CatalogRecord, RecordKind } from './record';
import type { Dropped } from './dropped';
import type { SourceFile } from './source/source-file';

/** What a detector sees of a file. */
export interface FileSample {
  /** The first line that is not blank. */
  readonly firstLine: string;
  /** The cells of the first row read as CSV: trimmed, in lower case. */
  readonly header: ReadonlySet<string>;
}

/** One kind of file: how to recognise it, and how to turn it into records, one after the other. */
export interface Format<Name extends string = string> {
  readonly name: Name;
  /** For people: what such a file is, and what it must have. */
  readonly description: string;
  /** What a file of this format can hold, and `--replace` therefore empties. */
  readonly kinds: readonly RecordKind[];
  recognises(sample: FileSample): boolean;
  read(source: SourceFile, dropped: Dropped): AsyncIterable<CatalogRecord>;
}
