import { setImmediate } from 'node:timers/promises';
import { yieldToLoop, type QueueName } from '../../../common/fair-queue';
import { getOrMake } from '../../../common/once';
import { toTerminalText } from '../../../common/terminal';

/**
 * A serialized page of the feed and its metadata. Its objects are not kept while a client reads, because they take
 * several times the counted bytes.
 */
export interface ChangesPage {
  readonly body: Buffer;
  readonly isEmpty: boolean;
  readonly hasMore: boolean;
  readonly nextCursor: string;
}

/** @param pause Waits for another turn of the event loop. */
export type ToPage = (body: Buffer, pause: () => Promise<void>) => ChangesPage | Promise<ChangesPage>;

interface PageBody {
  readonly data: readonly ChangesEntry[];
  readonly has_more: boolean;
  readonly next_cursor: string;
}

interface ChangesEntry {
  /** The position after the entry, if requested. */
  readonly cursor?: string;
  readonly [member: string]: unknown;
}

/** A page as JSON: the body itself. */
export const toJsonPage: ToPage = (body) => toPage(body, parse(body));

/** A page as server-sent events, one for each entry. */
export const toEventsPage: ToPage = async (body, pause) => {
  const page = parse(body);
  return toPage(await toEvents(page, pause), page);
};

/**
 * Creates pages from response bodies. One change wakes all clients of a shop, which get the same body one after
 * another, so the last page is cached. Only one, so that pages take no more memory than their bodies. Each page is made
 * in a turn of its own: the event loop accepts one connection per iteration, so long ones keep new clients waiting.
 */
export function createPageMaker(toPageOf: ToPage): (body: Buffer, queue: QueueName) => Promise<ChangesPage> {
  let last: { readonly body: Buffer; readonly page: Promise<ChangesPage> } | undefined;
  return (body, queue) => {
    const pause = () => yieldToLoop(queue);
    if (last?.body !== body) last = { body, page: pause().then(() => toPageOf(body, pause)) };
    return last.page;
  };
}

/**
 * Shares each read among the calls with the same key that arrive before it begins, in the next turn of the event loop.
 * One change wakes all clients of a shop, and most have the same position.
 */
export function shareReads<Call, Value>(
  toKey: (call: Call) => unknown,
  read: (call: Call) => Promise<Value>,
): (call: Call) => Promise<Value> {
  const next = new Map<unknown, Promise<Value>>();
  return (call) => {
    const key = toKey(call);
    return getOrMake(next, key, async () => {
      await setImmediate();
      next.delete(key);
      return read(call);
    });
  };
}

const parse = (body: Buffer): PageBody => JSON.parse(body.toString()) as PageBody;

const toPage = (body: Buffer, { data, has_more: hasMore, next_cursor: nextCursor }: PageBody): ChangesPage => ({
  body,
  isEmpty: data.length === 0 && !hasMore,
  hasMore,
  nextCursor,
});

/** The last event has the page's cursor, which is after everything that the page has read. */
async function toEvents({ data, next_cursor: nextCursor }: PageBody, pause: () => Promise<void>): Promise<Buffer> {
  const events: Buffer[] = [];
  let length = 0;
  for (const [index, { cursor = nextCursor, ...entry }] of data.entries()) {
    const id = index === data.length - 1 ? nextCursor : cursor;
    const event = Buffer.from(toEvent(`id: ${id}`, JSON.stringify(entry)));
    events.push(event);
    length += event.length;
    if (length < lengthPerTurn) continue;
    length = 0;
    await pause();
  }
  return Buffer.concat(events);
}

/** In bytes: some milliseconds. */
const lengthPerTurn = 256 * 1024;

/** A server-sent event. Characters that some programs treat as line ends, such as U+2028 and U+0085, are escaped. */
export const toEvent = (head: string, json: string): string => `${head}\ndata: ${toTerminalText(json)}\n\n`;
