import DataLoader from 'dataloader';
import type { WorkTurns } from '../common/event-loop-turns';
import { isUuid } from './rows/condition';

/** Loads one object by its id, null when there is none; ids requested in the same tick share one statement. */
export interface ByIdLoader<Row> {
  load(id: string): Promise<Row | null>;
}

/** @param read Rows among the ids, in any order; it never receives ids that are not UUIDs. */
export function createByIdLoader<Row extends { readonly id: string }>(
  read: (ids: readonly string[]) => Promise<readonly Row[]>,
  turns: WorkTurns,
): ByIdLoader<Row> {
  const loader = new DataLoader<string, Row | null>(
    async (ids) => {
      const found = new Map((await read(ids)).map((row) => [row.id, row]));
      return ids.map((id) => found.get(id) ?? null);
    },
    { batchScheduleFn: (load) => turns.afterAll(load) },
  );
  return { load: async (id) => (isUuid(id) ? loader.load(id.toLowerCase()) : null) };
}
