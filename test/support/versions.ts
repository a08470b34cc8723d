import type { Sql } from './test-database';
import type { Recorded } from './load';

/**
 * Part of a text in each list's first row and in the shop's name; of constant length, so that the length of a body is
 * known.
 */
const toVersionText = (version: number): string => `version ${String(version).padStart(6, '0')}`;
export const versionTexts = /version \d{6}/g;
export const firstVersion = toVersionText(0);

/** How often the shops change during a run. */
export const writeEveryMilliseconds = 250;

export interface Writing {
  /** Resolves when nothing is being written. */
  stop(): Promise<void>;
}

/** Writes versions, and determines which ones an answer may show. */
export function trackVersions(sql: Sql) {
  let begun = 0;
  /** Those that are known to be committed, and since when. */
  const committed: { readonly version: number; readonly at: number }[] = [{ version: 0, at: 0 }];
  const write = async (): Promise<void> => {
    const text = toVersionText(++begun);
    const set = (table: string, column: string) =>
      `UPDATE ${table} SET ${column} = regexp_replace(${column}, 'version \\d{6}', '${text}') WHERE ${column} ~ 'version \\d{6}'`;
    // One text, one transaction: no reader may see a part of it. Shops first, as every writer that locks all of them
    // does.
    const statements = [
      set('shops', 'name'),
      set('products', 'title'),
      set('collections', 'title'),
      set('orders', 'order_number'),
    ];
    await sql(statements.join('; '));
    committed.push({ version: begun, at: performance.now() });
  };
  return {
    startWriting(everyMilliseconds = writeEveryMilliseconds): Writing {
      let writing: Promise<unknown> | undefined;
      const timer = setInterval(() => {
        // The database may be unavailable, and a commit whose answer was lost counts as one that may or may not exist.
        writing ??= write()
          .catch(() => undefined)
          .finally(() => (writing = undefined));
      }, everyMilliseconds);
      return {
        async stop() {
          clearInterval(timer);
          await writing;
        },
      };
    },
    findProblems({ text, startedAt }: Recorded): string[] {
      const shown = new Set(text.match(versionTexts));
      if (shown.size === 0) return [];
      if (shown.size > 1) return [`several versions in one answer: ${[...shown].join(', ')}`];
      const version = Number([...shown][0]?.slice('version '.length));
      const least = committed.findLast(({ at }) => at < startedAt)?.version ?? 0;
      if (version < least) return [`stale: version ${version} although ${least} was committed before the request`];
      return version <= begun ? [] : [`version ${version}, which nobody wrote`];
    },
  };
}
