import type { ShopTableName } from './shop-tables';

/** The tables that are exported separately, in the order of the export; variants go with their products. */
export const exportTables = ['products', 'collections', 'orders'] as const satisfies readonly ShopTableName[];

export type ExportTable = (typeof exportTables)[number];

/** From names with commas between them, in the order of the export; undefined when one is none of them. */
export function parseExportTables(text: string): readonly ExportTable[] | undefined {
  const names: readonly string[] = text.split(',');
  const isKnown = (name: string): boolean => (exportTables as readonly string[]).includes(name);
  return names.every(isKnown) ? exportTables.filter((table) => names.includes(table)) : undefined;
}

/** A snapshot nests variants in their products; jsonl has each on a line of its own. */
export const exportFormats = ['snapshot', 'jsonl'] as const;

export type ExportFormat = (typeof exportFormats)[number];
