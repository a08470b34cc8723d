import { CatalogError } from './errors.ts';
import type { Get, Query } from './rest.ts';
import type { CallOptions } from './types.ts';

export interface ListOptions extends CallOptions {
  /**
   * Maximum number of objects per page, 1 to 200. Default: 200, which needs the fewest calls. Pages of large objects
   * are shortened.
   */
  readonly limit?: number | undefined;
  /** `nextCursor` of a page of the same list and filters. Continues after that page. Empty: from the start. */
  readonly resumeFrom?: string | undefined;
}

export interface Page<Item> {
  readonly data: readonly Item[];
  readonly hasMore: boolean;
  /** Cursor of the next page; null on the last page. */
  readonly nextCursor: string | null;
  /** Whether the page is unchanged since this client last read it (304). */
  readonly isUnchanged: boolean;
}

/** A list that fetches its pages while it is iterated. Each iteration starts over. */
export interface List<Item> extends AsyncIterable<Item> {
  pages(): AsyncIterable<Page<Item>>;
}

/** The list envelope of the OpenAPI document. */
interface PageBody<Item> {
  readonly data: readonly Item[];
  readonly has_more: boolean;
  readonly next_cursor: string | null;
}

const largestPage = 200;

export function createList<Item>(
  get: Get,
  path: string,
  { limit = largestPage, resumeFrom, signal, ...filters }: ListOptions,
): List<Item> {
  // Plain JavaScript may pass it, but each page sets this parameter.
  if ((filters as Query)['cursor']) throw new TypeError(`${path}: expected the option resumeFrom, got cursor.`);
  const readPage = async (cursor: string | undefined): Promise<Page<Item>> => {
    const { body, isUnchanged } = await get<PageBody<Item>>(path, { ...(filters as Query), limit, cursor }, signal);
    const { data, has_more: hasMore, next_cursor: nextCursor } = body;
    const isLast = nextCursor === null;
    if (!Array.isArray(data) || (!isLast && (typeof nextCursor !== 'string' || data.length === 0))) {
      throw new CatalogError('UNEXPECTED_RESPONSE', `${path}: expected a list page, got something else.`);
    }
    return { data, hasMore, nextCursor, isUnchanged };
  };

  async function* pages(): AsyncGenerator<Page<Item>, void, undefined> {
    let cursor = resumeFrom || undefined;
    const demandProgress = createProgressCheck(path);
    do {
      const page = await readPage(cursor);
      if (page.nextCursor !== null) demandProgress(page.nextCursor);
      yield page;
      cursor = page.nextCursor ?? undefined;
    } while (cursor !== undefined);
  }

  return {
    pages,
    async *[Symbol.asyncIterator]() {
      for await (const { data } of pages()) yield* data;
    },
  };
}

/**
 * Throws if the cursors of consecutive pages repeat, because such a list never ends. Keeps one cursor and compares the
 * next ones with it, for twice as many each time (Brent's algorithm).
 */
export function createProgressCheck(what: string): (cursor: string) => void {
  let kept: string | undefined;
  let left = 1;
  let span = 1;
  return (cursor) => {
    if (cursor === kept)
      throw new CatalogError(
        'UNEXPECTED_RESPONSE',
        `${what}: expected a new cursor, got the cursor of an earlier page again.`,
      );
    left -= 1;
    if (left > 0) return;
    kept = cursor;
    span *= 2;
    left = span;
  };
}
