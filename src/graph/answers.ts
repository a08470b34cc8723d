import { hash, webcrypto } from 'node:crypto';
import type { Principal } from '../auth/principal';
import { AnswerTooLargeError, maximumAnswerBytes } from '../catalog/operation-reads';
import type { JsonPart } from '../catalog/passthrough';
import { jsonLength, stringify, stringifyInChunks } from '../catalog/passthrough';
import type { WorkPauses } from '../common/fair-queue';
import { FairCache } from '../common/fair-cache';
import type { ShopVersion } from '../database/database';

export type EntityTagger = (principal: Principal, dataVersion: string, operation: string, variables: unknown) => string;

/**
 * Computes strong entity tags without inspecting the body, from everything that the body is a function of, most of all
 * the version of the shop's data that it was read in (D7).
 * @param epoch Changes with the program and its secrets: with the representation of the same data, and with what makes
 * tags unguessable.
 */
export function createEntityTagger(epoch: string): EntityTagger {
  return ({ shop, scopes }, dataVersion, operation, variables) => {
    const inputs = [epoch, shop.id, dataVersion, scopes, operation, variables];
    return `"${hash('sha256', JSON.stringify(inputs), 'base64url').slice(0, 27)}"`;
  };
}

/** Hashing more takes a millisecond and longer; then a thread of libuv does it. */
const quickBytes = 256 * 1024;

/** The strong tag of a body that was not read in a single version. */
export async function tagOfBytes(body: Buffer): Promise<string> {
  const digest =
    body.length <= quickBytes
      ? hash('sha256', body, 'base64url')
      : Buffer.from(await webcrypto.subtle.digest('SHA-256', body)).toString('base64url');
  return `"${digest.slice(0, 27)}"`;
}

/** What one entry costs besides its body: key, list nodes, bookkeeping. */
const overheadBytes = 500;

/**
 * Complete bodies, or data that becomes part of one, by a key that identifies everything they were made from, bounded
 * in bytes.
 */
export interface AnswerCache<Body> {
  get(shopId: string, key: string): Body | undefined;
  /** Offers a body that was just made; it is cached from the second time on. */
  set(at: ShopVersion, key: string, body: Body): void;
  /** The memory that all bodies take now. */
  countBytes(): number;
}

/**
 * Caches the most recently used bodies, each from the second time that it is made: a client that paginates through a
 * catalog requests no page twice, and collecting an unused entry costs more than making it did (docs/decisions.md 8).
 * A key contains the shop's data version, so an entry is never stale: once the data changes, no request uses it any
 * more, and the first body of another version replaces all others. Another version, not only a newer one: a failover
 * that loses a write, or a restored backup, sets a version back. Shops share the memory as described in FairCache.
 * @param totalBytes Limit for all shops together.
 * @param bytesPerShop Limit of one shop's share.
 * @param sizeOf The bytes of a body.
 */
export function createAnswerCache<Body>(
  totalBytes: number,
  bytesPerShop: number,
  sizeOf: (body: Body) => number,
): AnswerCache<Body> {
  const versions = new Map<string, string>();
  const bodies = new FairCache<Body>({
    totalSize: totalBytes,
    sizePerOwner: bytesPerShop,
    overhead: overheadBytes,
    isCommon: false,
    onEmptied: (shopId) => versions.delete(shopId),
  });

  return {
    get: (shopId, key) => bodies.get(shopId, key),
    set({ shopId, dataVersion }, key, body) {
      const known = versions.get(shopId);
      if (known !== undefined && known !== dataVersion) bodies.clear(shopId);
      versions.set(shopId, dataVersion);
      if (bodies.isSecondOffer(shopId, key)) bodies.set(shopId, key, body, sizeOf(body));
    },
    countBytes: () => bodies.size,
  };
}

/** What is written in one turn of the event loop: less than a millisecond. */
const lengthPerTurn = 256 * 1024;

/**
 * Writes an answer as JSON in UTF-8; a long one in turns of the event loop, and so is one of an operation that has used
 * turns before. Nowhere is a long answer one text: joining its parts and converting the whole took 20 ms for 5 MB
 * (docs/decisions.md 67).
 * @param mostBytes Only rows that are shown as often as they were read need no bound of their own.
 * @throws AnswerTooLargeError (docs/decisions.md 41)
 */
export async function writeAnswer(
  value: object,
  pauses: WorkPauses,
  mostBytes: number = maximumAnswerBytes,
): Promise<Buffer> {
  if (!pauses.hasWaited) {
    const length = jsonLength(value);
    if (length > mostBytes) throw new AnswerTooLargeError();
    if (length <= lengthPerTurn) return Buffer.from(stringify(value));
  }
  const chunks: JsonPart[] = [];
  let bytes = 0;
  for (const chunk of toChunks(stringifyInChunks(value))) {
    // Also before the first: what this turn has received from the database took long enough.
    await pauses.next();
    chunks.push(chunk);
    bytes += Buffer.byteLength(chunk);
    if (bytes > mostBytes) throw new AnswerTooLargeError();
  }
  // One buffer of the right size: more of them would only be garbage, and megabytes of garbage cost a full collection.
  const written = Buffer.allocUnsafeSlow(bytes);
  let at = 0;
  for (const chunk of chunks) {
    await pauses.next();
    at += typeof chunk === 'string' ? written.write(chunk, at) : chunk.copy(written, at);
  }
  return written;
}

/** Joins short parts and cuts long ones, to what may be written in one turn. */
function* toChunks(parts: Iterable<JsonPart>): Generator<JsonPart, void> {
  let short: string[] = [];
  let length = 0;
  const takeShort = (): string => {
    const text = short.join('');
    [short, length] = [[], 0];
    return text;
  };
  for (const part of parts) {
    if (typeof part === 'string' && length + part.length <= lengthPerTurn) {
      short.push(part);
      length += part.length;
      continue;
    }
    if (length > 0) yield takeShort();
    if (typeof part === 'string') yield* cut(part);
    else yield part;
  }
  if (length > 0) yield takeShort();
}

function* cut(text: string): Generator<string, void> {
  for (let from = 0; from < text.length;) {
    const end = from + lengthPerTurn;
    // Half a surrogate pair has no UTF-8.
    const to = isHighSurrogate(text.charCodeAt(end - 1)) ? end - 1 : end;
    yield text.slice(from, to);
    from = to;
  }
}

const isHighSurrogate = (code: number): boolean => code >= 0xd800 && code < 0xdc00;

/** Whether no root field has a value. */
export const hasNoValue = (data: object): boolean => Object.values(data).every(isNothing);

/** An empty list is data; a list of nulls is not. */
const isNothing = (value: unknown): boolean =>
  value === null || (Array.isArray(value) && value.length > 0 && value.every(isNothing));
