import { toJson } from '../../response/error-body';

/** A page of the feed: its body, and what follows from it. */
export interface ChangesPage {
  readonly body: Buffer;
  readonly isEmpty: boolean;
  readonly hasMore: boolean;
  readonly nextCursor: string;
  /** Its entries, with the place behind each as its cursor where that was asked for. */
  readonly entries: readonly ChangesEntry[];
}

export interface ChangesEntry {
  readonly cursor?: string;
  readonly [member: string]: unknown;
}

interface PageBody {
  readonly data: readonly ChangesEntry[];
  readonly has_more: boolean;
  readonly next_cursor: string;
}

export function parseChangesPage(body: Buffer): ChangesPage {
  const { data, has_more, next_cursor } = JSON.parse(body.toString()) as PageBody;
  return { body, isEmpty: data.length === 0 && !has_more, hasMore: has_more, nextCursor: next_cursor, entries: data };
}

/** The events of a page. The last one has the page's own cursor, which is behind all that the page has seen. */
export function toEvents({ entries, nextCursor }: ChangesPage): readonly Buffer[] {
  return entries.map(({ cursor = nextCursor, ...entry }, index) =>
    Buffer.concat([
      Buffer.from(`id: ${index === entries.length - 1 ? nextCursor : cursor}\ndata: `),
      toJson(entry),
      Buffer.from('\n\n'),
    ]),
  );
}
