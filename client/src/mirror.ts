import { CatalogError, isCatalogError } from './errors.ts';
import type { Clock } from './clock.ts';
import { demandNumber, demandSignal } from './credentials.ts';
import type { Members } from './exchange.ts';
import { isMembers, parseMembers } from './exchange.ts';
import type { Get } from './rest.ts';
import { createProgressCheck } from './list.ts';
import type { Transport } from './transport.ts';
import type { CallOptions, Collection, Order, OrderDetails, Product, ProductDetails, Variant } from './types.ts';

/** The objects that can be mirrored, with all their fields. */
interface MirroredTypes {
  readonly product: Product & ProductDetails;
  readonly variant: Variant & {
    /** `id` of its product. */
    readonly product_id: string;
  };
  readonly collection: Collection;
  readonly order: Order & OrderDetails;
}

export type MirroredType = keyof MirroredTypes;

/** An object in its latest state. */
export type MirroredObject = {
  readonly [Type in MirroredType]: { readonly type: Type; readonly object: MirroredTypes[Type] };
}[MirroredType];

/** An object that is no longer visible: deleted, or hidden by the plan's product limit. */
export interface RemovedObject {
  readonly type: MirroredType;
  readonly id: string;
}

export interface MirrorOptions extends CallOptions {
  /**
   * Upserts objects into the copy by type and id. May be called repeatedly with the same objects. A variant may come
   * before its product.
   */
  apply(objects: readonly MirroredObject[]): void | Promise<void>;
  /** Deletes objects from the copy, which may not contain all of them. If a page has both, called before `apply`. */
  remove(objects: readonly RemovedObject[]): void | Promise<void>;
  /** Stores the cursor. Called after everything before it has been applied. */
  saveCursor(cursor: string): void | Promise<void>;
  /** The cursor that was saved last. Without one, or if it is empty, the whole shop is read. */
  readonly cursor?: string | undefined;
  /**
   * Empties the copy. Called before a full read: without a cursor, and after RESYNC_REQUIRED (for example, a backup was
   * restored). Without this option, RESYNC_REQUIRED is thrown and exports are not used, because an export does not list
   * objects to delete.
   */
  readonly restart?: (() => void | Promise<void>) | undefined;
  /** Object types. Default: all that the credential's scopes allow. A cursor is valid only for its types. */
  readonly types?: readonly MirroredType[] | undefined;
  /** Objects per page, 1 to 200. Default: 200, which needs the fewest calls. */
  readonly pageSize?: number | undefined;
  /**
   * Keeps following changes, usually within two seconds, until the signal is aborted. Without `live` and `pollEveryMs`,
   * the call returns once the copy is current.
   */
  readonly live?: boolean | undefined;
  /** Polls for changes at this interval until the signal is aborted. */
  readonly pollEveryMs?: number | undefined;
}

export interface MirrorReport {
  readonly cursor: string;
  readonly applied: number;
  readonly removed: number;
}

interface Change {
  readonly type: MirroredType;
  readonly id: string;
  readonly deleted: boolean;
  readonly object: Members | null;
}

interface ChangesPage {
  readonly data: readonly Change[];
  readonly has_more: boolean;
  readonly next_cursor: string;
}

const largestPage = 200;
/** How long the service waits for a change, in seconds: less than the timeout of one attempt. */
const longestWait = 25;

interface MirrorParts {
  readonly origin: string;
  readonly get: Get;
  readonly timeoutMs: number;
  readonly transport: Pick<Transport, 'stream'>;
  readonly sleep: Clock['sleep'];
}

/**
 * Creates or updates a copy of the shop. Reads the change feed from the saved cursor; without one, reads an export and
 * then the feed, or the feed from its start, which contains every object once. If killed at any point, the next call
 * continues from the cursor that was saved last.
 */
export async function runMirror(
  { origin, get, timeoutMs, transport, sleep }: MirrorParts,
  options: MirrorOptions,
): Promise<MirrorReport> {
  const { signal, live = false, pollEveryMs, pageSize = largestPage } = options;
  // Before the copy is emptied.
  demandSignal(signal);
  demandNumber('pollEveryMs', pollEveryMs ?? 0);
  const types = options.types?.map((type) => `${type}s`).join();
  const wait = live ? Math.min(longestWait, Math.floor((0.8 * timeoutMs) / 1000)) : 0;
  // A crash can leave an empty file.
  let cursor = options.cursor || undefined;
  let applied = 0;
  let removed = 0;
  let hasRestarted = false;
  let demandProgress = createProgressCheck('change feed');

  const readPage = async (): Promise<ChangesPage> => {
    try {
      const query = { after: cursor, limit: pageSize, types, wait: wait === 0 ? undefined : wait };
      const { body } = await get<unknown>('/changes', query, signal);
      if (!isPage(body)) throw unexpectedOf('change feed', 'a page of changes');
      return body;
    } catch (error) {
      const canRestart = cursor !== undefined && options.restart !== undefined && !hasRestarted;
      if (!canRestart || !isCatalogError(error, 'RESYNC_REQUIRED')) throw error;
      await begin();
      // At most once until the copy is current: otherwise repeated RESYNC_REQUIRED would loop forever.
      hasRestarted = true;
      return readPage();
    }
  };

  /** @returns the feed cursor of the export; undefined if exports are disabled or the export broke off */
  const readExport = async (mayRepeat = true): Promise<string | undefined> => {
    let isLimited = false;
    let start: string | undefined;
    let objects: MirroredObject[] = [];
    const counts = new Map<string, number>();
    let lineNumber = 0;
    const flush = async (): Promise<void> => {
      if (objects.length > 0) await options.apply(objects);
      applied += objects.length;
      objects = [];
    };
    const query = options.types === undefined ? '' : `?types=${toTables(options.types)}`;
    const lines = transport.stream({ url: `${origin}/export${query}` }, signal);
    for (;;) {
      // Errors from `apply` are the caller's. After errors from the export, the feed is read instead.
      const { value, done } = await lines.next().catch((error: unknown) => {
        if (!isCatalogError(error)) throw error;
        isLimited = error.status === 429;
        return { value: undefined, done: true };
      });
      // The rate limit is used up, or another export of the shop is running. The next call waits for Retry-After.
      if (isLimited && mayRepeat) return readExport(false);
      if (done === true || value === undefined) return undefined;
      try {
        for (const line of value) {
          lineNumber += 1;
          const parsed = parseMembers(line);
          if (parsed === undefined) throw unexpectedOf(`export, line ${lineNumber}`, 'a JSON object');
          const { type, ...object } = parsed;
          if (lineNumber === 1) {
            const { changes_cursor: cursorOfExport } = object;
            if (type !== 'shop' || typeof cursorOfExport !== 'string')
              throw unexpectedOf('export, line 1', 'the shop with its changes_cursor');
            start = cursorOfExport;
          } else if (type === 'complete') {
            demandCounts(object, counts);
            await flush();
            return start;
          } else {
            const read = toObjects(type, object);
            if (read === undefined) throw unexpectedOf(`export, line ${lineNumber}`, 'an object with an id');
            for (const each of read) {
              counts.set(each.type, (counts.get(each.type) ?? 0) + 1);
              if (options.types?.includes(each.type) ?? true) objects.push(each);
            }
          }
          if (objects.length >= pageSize) await flush();
        }
      } catch (error) {
        await lines.return();
        throw error;
      }
    }
  };

  const begin = async (): Promise<void> => {
    cursor = undefined;
    if (options.restart === undefined) return;
    await options.restart();
    cursor = await readExport();
    if (cursor !== undefined) await options.saveCursor(cursor);
  };

  if (cursor === undefined) await begin();
  for (;;) {
    const { data, has_more: hasMore, next_cursor: next } = await readPage();
    if (hasMore) {
      if (data.length === 0) throw unexpectedOf('change feed', 'changes on every page but the last');
      demandProgress(next);
    } else {
      demandProgress = createProgressCheck('change feed');
      hasRestarted = false;
    }
    const gone = data.filter(({ deleted }) => deleted);
    const here = data.filter(({ deleted }) => !deleted);
    if (gone.length > 0) await options.remove(gone.map(toRemoved));
    if (here.length > 0) await options.apply(here.map(toMirrored));
    applied += here.length;
    removed += gone.length;
    if (next !== cursor) await options.saveCursor(next);
    cursor = next;
    if (hasMore) continue;
    if (live) {
      // The service returns immediately when it is stopping or has too many waiting clients: pause before the next
      // request.
      if (data.length === 0) await sleep(answeredAtOnceMs, signal);
      continue;
    }
    if (pollEveryMs === undefined) return { cursor, applied, removed };
    await sleep(pollEveryMs, signal);
  }
}

const answeredAtOnceMs = 500;

const unexpectedOf = (what: string, expected: string): CatalogError =>
  new CatalogError(
    'UNEXPECTED_RESPONSE',
    `${what}: expected ${expected}, got something else. Is this the origin of the API?`,
  );

/** Data from the network may have any shape. */
function isPage(page: unknown): page is ChangesPage {
  if (!isMembers(page) || !Array.isArray(page['data'])) return false;
  const areEntries = (page['data'] as readonly unknown[]).every(
    (entry) =>
      isMembers(entry) && [entry['type'], entry['id']].every((each) => typeof each === 'string') &&
      typeof entry['deleted'] === 'boolean' && (entry['object'] === null || isMembers(entry['object'])),
  ); // prettier-ignore
  return areEntries && typeof page['next_cursor'] === 'string' && typeof page['has_more'] === 'boolean';
}

/** The last line of an export contains the number of objects of each type. */
function demandCounts(complete: Members, counts: ReadonlyMap<string, number>): void {
  for (const type of mirroredTypes) {
    const [sent, read] = [complete[`${type}s`] ?? 0, counts.get(type) ?? 0];
    if (sent === read) continue;
    throw new CatalogError(
      'UNEXPECTED_RESPONSE',
      `export: the last line has "${type}s": ${JSON.stringify(sent)}, but the number received is ${read}.`,
    );
  }
}

const mirroredTypes: readonly MirroredType[] = ['product', 'variant', 'collection', 'order'];

/**
 * Variants are nested in their products. @returns undefined if the line is not an object; an empty list for unknown
 * types
 */
function toObjects(type: unknown, line: Members): MirroredObject[] | undefined {
  const { variants = [], ...object } = line;
  const isObject = (each: unknown): each is Members => isMembers(each) && typeof each['id'] === 'string';
  if (typeof type !== 'string' || !isObject(object) || !Array.isArray(variants) || !variants.every(isObject))
    return undefined;
  if (type === 'variant' || !(mirroredTypes as readonly string[]).includes(type)) return [];
  const own = variants.map((variant) => ({ type: 'variant', object: { ...variant, product_id: object['id'] } }));
  return [{ type, object }, ...own] as unknown as MirroredObject[];
}

const toTables = (types: readonly MirroredType[]): string =>
  [...new Set(types.map((type) => `${type === 'variant' ? 'product' : type}s`))].join();

const toRemoved = ({ type, id }: Change): RemovedObject => ({ type, id });

function toMirrored({ type, object }: Change): MirroredObject {
  if (object === null) throw unexpectedOf('change feed', 'an object for each change except deletions');
  return { type, object } as unknown as MirroredObject;
}
