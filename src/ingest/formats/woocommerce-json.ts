import { parseTimestamp } from '../values/timestamp';
import type { JsonMembers } from './json-members';

/** A timestamp of WooCommerce's REST API: members whose name ends in `_gmt` are UTC without a zone designator. */
export const gmt = (members: JsonMembers, name: string): string | null =>
  members.parsed(name, (text, location) => parseTimestamp(toUtc(text), location));

export const toUtc = (text: string): string => (/T[\d:.]+$/.test(text) ? `${text}Z` : text);
