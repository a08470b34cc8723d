import type { FormatName } from './formats';
import type { ReadAs } from './source/source-file';

/** What an import did. Can be written as JSON; holds no e-mail address (D25). */
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
  readonly dropped: {
    /** E-mail cells and members that were not stored, and names and tags that an address was taken out of. */
    readonly emails: number;
    /** Members of snapshot lines that mean nothing here, by name. */
    readonly ignoredMembers: Readonly<Record<string, number>>;
  };
  readonly lastSyncAt: string;
  readonly durationMilliseconds: number;
}

export interface FileReport extends ReadAs {
  readonly file: string;
  readonly format: FormatName;
  readonly lines: number;
  readonly records: number;
}

export interface KindReport {
  /** Objects that the files name. */
  read: number;
  created: number;
  updated: number;
  unchanged: number;
  /** Products that a line says are deleted (soft deletion). */
  deleted: number;
  /** What the files do not name: products under --replace (soft deletion), collections and orders, and variants of a product. */
  removed: number;
  /** Deletions of what was not there. */
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
