import DataLoader from 'dataloader';

/** Canonical 36-character UUID, in any case (D3). Anything else is the id of nothing. */
const uuid = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/i;

/** Loads one object by its id, null when there is none; the ids asked for in one go become one statement. */
export interface ByIdLoader<Row> {
  load(id: string): Promise<Row | null>;
}

/** @param read Rows among the ids, in any order; ids that are no UUIDs never reach it. */
export function createByIdLoader<Row extends { readonly id: string }>(
  read: (ids: readonly string[]) => Promise<readonly Row[]>,
): ByIdLoader<Row> {
  const loader = new DataLoader<string, Row | null>(async (ids) => {
    const found = new Map((await read(ids)).map((row) => [row.id, row]));
    return ids.map((id) => found.get(id) ?? null);
  });
  return { load: async (id) => (uuid.test(id) ? loader.load(id.toLowerCase()) : null) };
}
