import type { Format, ReadContext } from './format';
import { SourceLocation } from '../values/import-error';
import type { CatalogRecord } from './record';
import type { SourceFile } from '../source/source-file';
import { parseJsonLine, textMember } from '../values/json-line';
import { ExportLines } from './export-lines';
import { JsonMembers } from './json-members';
import { explainedMembers, reportUnknown, toCollection, toOrder, toProduct, toShop } from './snapshot-records';

const types = ['shop', 'product', 'collection', 'order'] as const;

/** The native import: NDJSON, with one object of the specification per line (docs/snapshot-format.md). */
export const snapshot: Format<'snapshot'> = {
  name: 'snapshot',
  kinds: ['product', 'collection', 'order'],
  hasIds: true,
  explains: {
    expected: explainedMembers,
    others: {
      'product.id': 'id, with --keep-ids',
      'product.variants.id': 'variants.id, with --keep-ids',
      'collection.id': 'id, with --keep-ids',
      'order.id': 'id, with --keep-ids',
      'product.deleted': 'soft-deletes the product',
      'order.email': 'removed and counted',
      'order.customer_email': 'removed and counted',
    },
    wrappers: [],
    prefixOf: ({ type }) => types.find((known) => known === type)?.concat('.'),
  },
  absentFrom: ({ firstLine }) => (types.some((type) => type === textMember(firstLine, 'type')) ? [] : ['type']),
  read,
};

async function* read(source: SourceFile, context: ReadContext): AsyncGenerator<CatalogRecord, void, void> {
  const exported = new ExportLines(context.problems);
  for await (const { line, text } of source.textLines()) {
    if (text.trim() === '') continue;
    const location = new SourceLocation(source.name, line);
    if (exported.isEnd(text, location)) continue;
    exported.begin(text, location);
    const record = context.problems.readOr(() => toRecord(text, location, context), undefined);
    if (record === undefined) continue;
    exported.count(record);
    yield record;
  }
  exported.requireEnd();
}

function toRecord(
  text: string,
  location: SourceLocation,
  { dropped, problems, keepsIds }: ReadContext,
): CatalogRecord | undefined {
  const members = new JsonMembers(parseJsonLine(text, location), location, problems, true);
  const { line } = location;
  if (!members.has('type')) throw location.at('type').refuse(undefined, `one of ${types.join(', ')}`);
  const type = members.oneOf('type', types);
  if (type === null) return undefined;
  reportUnknown(members, type, dropped);
  switch (type) {
    case 'shop':
      return { kind: type, line, ...toShop(members) };
    case 'product': {
      const variants = members.objects('variants');
      for (const variant of variants) reportUnknown(variant, 'variant', dropped, 'variants.');
      if (members.boolean('deleted') === true)
        return { kind: 'deleted-product', line, externalId: members.id('external_id') };
      return { kind: type, line, ...toProduct(members, variants, keepsIds) };
    }
    case 'collection':
      return { kind: type, line, values: toCollection(members, keepsIds) };
    case 'order':
      return { kind: type, line, values: toOrder(members, dropped, keepsIds) };
  }
}
