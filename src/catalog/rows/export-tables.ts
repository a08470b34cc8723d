import type { ShopTableName } from './shop-tables';

/** The tables that are exported separately, in the order of the export; variants go with their products. */
export const exportTables = ['products', 'collections', 'orders'] as const satisfies readonly ShopTableName[];

export type ExportTable = (typeof exportTables)[number];

/** A snapshot nests variants in their products; jsonl has each on its own line. */
export const exportFormats = ['snapshot', 'jsonl'] as const;

export type ExportFormat = (typeof exportFormats)[number];
