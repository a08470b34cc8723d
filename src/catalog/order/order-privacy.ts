import { createHash } from 'node:crypto';
import { addressMask, holdsAddress, mayHoldAddress, removeAddresses } from '../../privacy/addresses';
import type { ColumnName, GuardedMember } from '../model';
import { columnsOf } from '../model';
import type { Redaction } from '../rows/redaction';

/*
 * How members of an order that contain an e-mail address are handled (D25, docs/decisions.md 49). Import removes
 * addresses before it writes. Every row is checked again when it is read, because other programs write the tables too.
 */

/** Handles text or a list that contains an address, by the rule of its column (src/catalog/model.ts). */
const applyRule = {
  /** The remainder; null when nothing remains. */
  remove: (text: string | null) => (text === null ? null : removeAddresses(text)),
  /** The remainder, or the log's mask where a value is required. */
  mask: (text: string) => removeAddresses(text) ?? addressMask,
  /** The remainder of a status, which is one word of the CMS, has no meaning. */
  null: (text: string | null) => (text !== null && holdsAddress(text) ? null : text),
  omit: (texts: readonly string[]) => texts.filter((text) => !holdsAddress(text)),
  items: (items: readonly object[]) => items.map((item) => (isClean(item) ? item : mapTexts(item, removeAddresses))),
} as const;

const isClean = (item: object): boolean =>
  Object.values(item).every((value) => typeof value !== 'string' || !holdsAddress(value));

const mapTexts = (item: object, map: (text: string) => string | null): object =>
  Object.fromEntries(
    Object.entries(item).map(([name, value]) => [name, typeof value === 'string' ? map(value) : (value as unknown)]),
  );

const redactedPrefix = 'redacted:';
const redactedExternalId = /^redacted:[0-9a-f]{64}$/;

/**
 * Whether a filter's text could match only values that are never returned. It must then match nothing, or it would
 * reveal that the value exists.
 */
export const matchesPrivateText = (text: string): boolean => holdsAddress(text) || redactedExternalId.test(text);

/** Texts of an order that the merchant can choose. An importer may have no value for some. */
type OrderTexts = {
  readonly [Member in GuardedMember as ColumnName<Member>]?: string | null | undefined | readonly (string | object)[];
};

const guardedColumns = columnsOf('orders').flatMap(({ member, name, address }) =>
  address === undefined ? [] : [{ member, name: name as keyof OrderTexts, address }],
);

/**
 * The order as it may be stored. An external_id with an address becomes a digest, so that the same order has the same
 * id in the next import; the digest is never returned either, because addresses can be guessed and compared with it.
 * @returns the order, and how many of its values contained an address
 */
export function removeOrderAddresses<Order extends OrderTexts>(
  order: Order,
  shopId: string,
): { readonly order: Order; readonly removed: number } {
  const changed: Partial<Record<keyof OrderTexts, unknown>> = {};
  let removed = 0;
  for (const { name, address } of guardedColumns) {
    const value = order[name];
    if (value === undefined || value === null) continue;
    const stored =
      address === 'digest' ? toDigest(value as string, shopId) : applyRule[address](value as string & readonly never[]);
    const lost = countLost(value, stored);
    if (lost > 0) changed[name] = stored;
    removed += lost;
  }
  return { order: removed === 0 ? order : { ...order, ...changed }, removed };
}

/** For a list, counts the elements that were removed or changed. */
function countLost(value: unknown, stored: unknown): number {
  if (!Array.isArray(value)) return Number(stored !== value);
  const kept = new Set(stored as readonly unknown[]);
  return value.filter((element) => !kept.has(element)).length;
}

const toDigest = (externalId: string, shopId: string): string =>
  holdsAddress(externalId)
    ? redactedPrefix + createHash('sha256').update(`${shopId}\n${externalId}`).digest('hex')
    : externalId;

/** An external_id that cannot be shown becomes `redacted:` and the order's id, which is as unique and as stable. */
const toPublicId = (text: string, id: string): string => (matchesPrivateText(text) ? redactedPrefix + id : text);

/** The same for rows that are read. */
export const orderRedaction: Redaction = {
  isNeeded: (json) => mayHoldAddress(json) || json.includes(redactedPrefix),
  members: Object.fromEntries(
    guardedColumns.map(({ member, address }) => [member, address === 'digest' ? toPublicId : applyRule[address]]),
  ),
};
