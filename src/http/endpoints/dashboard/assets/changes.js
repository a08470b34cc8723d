import { element, productLink } from '../../reference/assets/shell.js';
import { orderLink, paragraph, table } from './elements.js';

/** The cursor to continue from; undefined before the first call. */
let cursor;
/** Everything read so far, the newest change of each object alone. */
let seen = new Map();

/** Another key may belong to another shop. */
export function restart() {
  cursor = undefined;
  seen = new Map();
}

export const readVariables = () => (cursor === undefined ? { first: 0 } : { first: 100, after: cursor });

/** The first call, which finds out where the feed ends now, is made without being asked for. */
export const startsAlone = true;

export function show(output, { changes }) {
  if (!changes) return;
  const isFirst = cursor === undefined;
  cursor = isFirst ? changes.changesCursor : changes.pageInfo.endCursor;
  for (const change of changes.nodes) {
    seen.delete(change.id);
    seen.set(change.id, change);
  }
  if (seen.size === 0) {
    output.append(paragraph(isFirst ? 'Watching from now on.' : 'Nothing has changed since.', 'rest'));
    return;
  }
  const rows = [...seen.values()]
    .reverse()
    .map((change) => [change.type, nameOf(change), change.deleted ? 'gone' : 'changed']);
  output.append(table('Changes, the latest first', ['Type', 'Object', 'State'], rows));
  if (changes.pageInfo.hasNextPage) output.append(paragraph('There are more: read again.', 'rest'));
}

/** After RESYNC_REQUIRED: the shop went back to an earlier state. */
export function recover(code) {
  if (code === 'RESYNC_REQUIRED') restart();
}

function nameOf({ type, id, externalId, node }) {
  const textContent = node?.title ?? node?.orderNumber ?? node?.sku ?? externalId ?? id;
  if (node === null || (type !== 'PRODUCT' && type !== 'ORDER')) return textContent;
  return element('a', { href: type === 'ORDER' ? orderLink(id) : productLink(node.handle, id), textContent });
}
