import { CatalogError, isCatalogError } from './errors.ts';
import type { Clock } from './clock.ts';
import type { RunGraphql } from './graphql.ts';
import type { Members } from './exchange.ts';
import { isMembers, parseMembers } from './exchange.ts';
import { createProgressCheck } from './list.ts';
import { mirrorDocument } from './mirror-document.ts';
import type { Transport } from './transport.ts';
import type { CallOptions, Collection, Order, Product, Variant } from './types.ts';

/** What can be mirrored, each with the members that the REST API gives it. */
interface MirroredTypes {
  readonly product: Product;
  readonly variant: Variant & {
    /** `id` of the product that it is a version of. */
    readonly product_id: string;
  };
  readonly collection: Collection;
  readonly order: Order;
}

export type MirroredType = keyof MirroredTypes;

/** An object in its latest state. */
export type MirroredObject = {
  readonly [Type in MirroredType]: { readonly type: Type; readonly object: MirroredTypes[Type] };
}[MirroredType];

/** An object that readers of the shop do not see any more: deleted, or hidden by the plan's product limit. */
export interface RemovedObject {
  readonly type: MirroredType;
  readonly id: string;
  readonly external_id: string;
}

export interface MirrorOptions extends CallOptions {
  /**
   * Writes objects to the copy, over those of the same type and id. May be called again with what it has written already. A variant may
   * come before its product.
   */
  apply(objects: readonly MirroredObject[]): void | Promise<void>;
  /** Removes objects from the copy; some may never have been there. Called before `apply` where a page has both. */
  remove(objects: readonly RemovedObject[]): void | Promise<void>;
  /** Stores where to continue, after everything before it was applied. */
  saveCursor(cursor: string): void | Promise<void>;
  /** What was saved last; everything is read when it is absent. */
  readonly cursor?: string | undefined;
  /**
   * Empties the copy. Called before everything is read: without a cursor, and when the service has gone back to an earlier state of the shop
   * (a backup was restored). Without it, the latter throws RESYNC_REQUIRED, and nothing is read from an export: an export does not say what
   * an older copy has too much.
   */
  restart?(): void | Promise<void>;
  /** Of which types; all that the credential's scopes allow when it is absent. A cursor belongs to its types. */
  readonly types?: readonly MirroredType[] | undefined;
  /** Objects per page, 1 to 200; 200 when it is absent, which takes the fewest calls. */
  readonly pageSize?: number | undefined;
  /** Continues to poll for changes this often, until the signal ends it. Without it the mirror ends when the copy is current. */
  readonly pollEveryMs?: number | undefined;
}

export interface MirrorReport {
  readonly cursor: string;
  readonly applied: number;
  readonly removed: number;
}

/** Members of two types with the same name must be alike, or one of them has another name. */

interface Change {
  readonly type: Uppercase<MirroredType>;
  readonly id: string;
  readonly externalId: string;
  readonly deleted: boolean;
  readonly node: Readonly<Record<string, unknown>> | null;
}

interface ChangesData {
  readonly changes: {
    readonly nodes: readonly Change[];
    readonly pageInfo: { readonly hasNextPage: boolean; readonly endCursor: string };
  };
}

const largestPage = 200;

interface MirrorParts {
  readonly origin: string;
  readonly graphql: RunGraphql;
  readonly transport: Pick<Transport, 'stream'>;
  readonly sleep: Clock['sleep'];
}

/**
 * Makes a copy of the shop, or brings one up to date: the change feed from the saved cursor on. Without one, an export and the feed behind
 * it, or the feed from its start, where it has every object once. Killed anywhere, it continues from the cursor that was saved last.
 */
export async function runMirror(
  { origin, graphql, transport, sleep }: MirrorParts,
  options: MirrorOptions,
): Promise<MirrorReport> {
  const { signal, pollEveryMs, pageSize = largestPage } = options;
  const types = options.types?.map((type) => type.toUpperCase());
  let { cursor } = options;
  let applied = 0;
  let removed = 0;
  let hasRestarted = false;
  let demandProgress = createProgressCheck('change feed');

  const readPage = async (): Promise<ChangesData['changes']> => {
    try {
      return await withFittingSize(pageSize, async (first) => {
        const data = await graphql<ChangesData | null>(mirrorDocument, { after: cursor, first, types }, { signal });
        const changes: unknown = data?.changes;
        if (!isPage(changes)) throw unexpectedOf('change feed', 'a page of changes');
        return changes;
      });
    } catch (error) {
      const canRestart = cursor !== undefined && options.restart !== undefined && !hasRestarted;
      if (!canRestart || !isCatalogError(error, 'RESYNC_REQUIRED')) throw error;
      await begin();
      // Once until the copy is current again: a service that asks for it each time would never be done.
      hasRestarted = true;
      return readPage();
    }
  };

  /** @returns the cursor of the feed behind the export; undefined when there is no export, or it broke off */
  const readExport = async (): Promise<string | undefined> => {
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
      // What apply throws is the caller's; what the export throws is answered by the feed, which has its own waiting.
      const { value, done } = await lines.next().catch((error: unknown) => {
        if (isCatalogError(error)) return { value: undefined, done: true };
        throw error;
      });
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
            if (read === undefined) throw unexpectedOf(`export, line ${lineNumber}`, 'an object with its id');
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
    const { nodes, pageInfo } = await readPage();
    if (pageInfo.hasNextPage) {
      if (nodes.length === 0) throw unexpectedOf('change feed', 'changes on a page that is not the last one');
      demandProgress(pageInfo.endCursor);
    } else {
      demandProgress = createProgressCheck('change feed');
      hasRestarted = false;
    }
    const gone = nodes.filter(({ deleted }) => deleted);
    const here = nodes.filter(({ deleted }) => !deleted);
    if (gone.length > 0) await options.remove(gone.map(toRemoved));
    if (here.length > 0) await options.apply(here.map(toMirrored));
    applied += here.length;
    removed += gone.length;
    if (pageInfo.endCursor !== cursor) await options.saveCursor(pageInfo.endCursor);
    cursor = pageInfo.endCursor;
    if (pageInfo.hasNextPage) continue;
    if (pollEveryMs === undefined) return { cursor, applied, removed };
    await sleep(pollEveryMs, signal);
  }
}

const unexpectedOf = (what: string, expected: string): CatalogError =>
  new CatalogError(
    'UNEXPECTED_RESPONSE',
    `${what}: expected ${expected}, got something else. Is this the origin of the API?`,
  );

/** Requests half as many changes while the products of their variants would make the answer too large. */
async function withFittingSize<Value>(size: number, ask: (size: number) => Promise<Value>): Promise<Value> {
  for (;;) {
    try {
      return await ask(size);
    } catch (error) {
      if (size <= 1 || !isCatalogError(error, 'ANSWER_TOO_LARGE')) throw error;
      size = Math.ceil(size / 2);
    }
  }
}

/** What comes over the network may have any shape. */
function isPage(page: unknown): page is ChangesData['changes'] {
  if (!isMembers(page) || !Array.isArray(page['nodes']) || !isMembers(page['pageInfo'])) return false;
  const { endCursor, hasNextPage } = page['pageInfo'];
  const areNodes = (page['nodes'] as readonly unknown[]).every(
    (node) =>
      isMembers(node) && [node['type'], node['id'], node['externalId']].every((each) => typeof each === 'string') &&
      typeof node['deleted'] === 'boolean' && (node['node'] === null || node['node'] === undefined || isMembers(node['node'])),
  ); // prettier-ignore
  return areNodes && typeof endCursor === 'string' && typeof hasNextPage === 'boolean';
}

/** The last line of an export says how many objects it has. */
function demandCounts(complete: Members, counts: ReadonlyMap<string, number>): void {
  for (const type of mirroredTypes) {
    const [expected, read] = [complete[`${type}s`] ?? 0, counts.get(type) ?? 0];
    if (expected === read) continue;
    throw unexpectedOf('export', `${read} ${type}s as they were read, and its last line to say the same`);
  }
}

const mirroredTypes: readonly MirroredType[] = ['product', 'variant', 'collection', 'order'];

/** Variants are in their products. @returns undefined when the line is no object; nothing of types that this version does not know */
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

const toType = (type: Uppercase<MirroredType>): MirroredType => type.toLowerCase() as MirroredType;

const toRemoved = ({ type, id, externalId }: Change): RemovedObject => ({
  type: toType(type),
  id,
  external_id: externalId,
});

function toMirrored({ type, id, externalId, node }: Change): MirroredObject {
  if (!isMembers(node)) throw unexpectedOf('change feed', `an object for each change that is no deletion`);
  const { product, ...members } = node;
  const object: Record<string, unknown> = { id, external_id: externalId };
  for (const [name, value] of Object.entries(members)) object[toRestName(name)] = value;
  if (type === 'VARIANT') object['product_id'] = (product as { readonly id: string } | null)?.id;
  return { type: toType(type), object } as unknown as MirroredObject;
}

/** `ownCreatedAt` → `created_at`. */
const toRestName = (name: string): string =>
  name.replace(/^own(?=[A-Z])/, '').replace(/[A-Z]/g, (letter, at) => `${at === 0 ? '' : '_'}${letter.toLowerCase()}`);
