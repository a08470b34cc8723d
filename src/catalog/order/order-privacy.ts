import { createHash } from 'node:crypto';
import { addressMask, holdsAddress, mayHoldAddress, removeAddresses } from '../../privacy/addresses';
import type { Redaction } from '../rows/redact-row';

/* What happens to an order's members that contain an e-mail address (D25, docs/decisions.md 49). Import removes addresses before it writes. Every row is checked again when it is read, because other programs write the tables too. */

/** A customer's name or a status without addresses; null when nothing remains. */
const withoutAddresses = (text: string | null): string | null => (text === null ? null : removeAddresses(text));

/** A status is one word of the CMS: the remainder of one that contains an address has no meaning. */
const unlessAddress = (text: string | null): string | null => (text !== null && holdsAddress(text) ? null : text);

/** A required member: the remainder, or the mask of the log. */
const orMask = (text: string): string => removeAddresses(text) ?? addressMask;

function withoutThoseWithAddress(texts: readonly string[]): readonly string[] {
  const kept = texts.filter((text) => !holdsAddress(text));
  return kept.length === texts.length ? texts : kept;
}

const redactedPrefix = 'redacted:';
const redactedExternalId = /^redacted:[0-9a-f]{64}$/;

/**
 * Whether the text of a filter can match only what is never returned: then it matches nothing, or it would reveal that the value exists.
 */
export const matchesPrivateText = (text: string): boolean => holdsAddress(text) || redactedExternalId.test(text);

/** The members of an order that an importer writes as text of the merchant's choice. */
export interface OrderTexts {
  readonly external_id: string;
  readonly order_number: string;
  readonly customer_name: string | null;
  readonly financial_status: string | null;
  readonly fulfillment_status: string | null;
  readonly tags: readonly string[];
}

/**
 * The order as it may be stored. An external_id with an address becomes a digest, so that the same order has the same id in the next
 * import; the digest is never returned either, because addresses can be guessed and compared with it.
 * @returns the order, and how many of its values contained an address
 */
export function removeOrderAddresses<Order extends OrderTexts>(
  order: Order,
  shopId: string,
): { readonly order: Order; readonly removed: number } {
  const changed: OrderTexts = {
    external_id: holdsAddress(order.external_id) ? toDigest(order.external_id, shopId) : order.external_id,
    order_number: orMask(order.order_number),
    customer_name: withoutAddresses(order.customer_name),
    financial_status: unlessAddress(order.financial_status),
    fulfillment_status: unlessAddress(order.fulfillment_status),
    tags: withoutThoseWithAddress(order.tags),
  };
  const names = Object.keys(changed) as (keyof OrderTexts)[];
  const changes = names.filter((name) => name !== 'tags' && changed[name] !== order[name]).length;
  const removed = changes + order.tags.length - changed.tags.length;
  return { order: removed === 0 ? order : { ...order, ...changed }, removed };
}

const toDigest = (externalId: string, shopId: string): string =>
  redactedPrefix + createHash('sha256').update(`${shopId}\n${externalId}`).digest('hex');

/**
 * The same for rows that are read. An external_id that cannot be shown becomes `redacted:` and the order's id, which is as unique and as
 * stable.
 */
export const orderRedaction: Redaction = {
  isNeeded: (json) => mayHoldAddress(json) || json.includes(redactedPrefix),
  members: {
    externalId: (text: string, id) => (matchesPrivateText(text) ? redactedPrefix + id : text),
    orderNumber: orMask,
    customerName: withoutAddresses,
    financialStatus: unlessAddress,
    fulfillmentStatus: unlessAddress,
    tags: withoutThoseWithAddress,
  },
};
