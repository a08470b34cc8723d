import { descriptions } from './descriptions';
import type { FileSample, Format, ReadContext } from './format';
import { SourceLocation } from '../values/import-error';
import type { CatalogRecord } from './record';
import type { SourceFile } from '../source/source-file';
import { isTooDeep, parseJsonLine } from '../values/json-line';
import { ExportLines } from './export-lines';
import { JsonMembers } from './json-members';
import {
  collectionMembers,
  explainedMembers,
  orderMembers,
  productMembers,
  shopMembers,
  variantMembers,
} from './snapshot-members';
import { toCollection, toOrder, toProduct, toShop } from './snapshot-records';

const types = ['shop', 'product', 'collection', 'order'] as const;

/** The native import: NDJSON, with one object of the specification per line (docs/snapshot-format.md). */
export const snapshot: Format<'snapshot'> = {
  name: 'snapshot',
  description: descriptions.snapshot,
  kinds: ['product', 'collection', 'order'],
  hasIds: true,
  explains: {
    expected: explainedMembers,
    others: {},
    wrappers: [],
    prefixOf: ({ type }) => types.find((known) => known === type)?.concat('.'),
  },
  lacks: (sample) => (recognises(sample) ? [] : ['type']),
  read,
};

/** A line that is invalid further on still belongs to a snapshot: the reader then reports what is wrong with it. */
function recognises({ firstLine }: FileSample): boolean {
  if (!firstLine.startsWith('{')) return false;
  if (firstLine.length > longestParsed || isTooDeep(firstLine)) return namesType(firstLine);
  try {
    const { type } = JSON.parse(firstLine) as { type?: unknown };
    return types.some((known) => known === type);
  } catch {
    return namesType(firstLine);
  }
}

/** The values of longer lines are counted before the lines are parsed. */
const longestParsed = 65_536;

const namesType = (line: string): boolean => /"type"\s*:\s*"(?:shop|product|collection|order)"/.test(line);

async function* read(source: SourceFile, context: ReadContext): AsyncGenerator<CatalogRecord, void, void> {
  const exported = new ExportLines(context.problems);
  for await (const { line, text } of source.textLines()) {
    if (text.trim() === '') continue;
    const location = new SourceLocation(source.name, line);
    if (exported.isEnd(text, location)) continue;
    exported.begin(text, location);
    const record = context.problems.collect(() => toRecord(text, location, context), undefined);
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
  const members = new JsonMembers(parseJsonLine(text, location), location, problems);
  const { line } = location;
  if (!members.has('type')) throw location.at('type').refuse(undefined, types.join(', '));
  switch (members.oneOf('type', types)) {
    case 'shop':
      members.reportOthers(shopMembers, dropped);
      return { kind: 'shop', line, ...toShop(members) };
    case 'product': {
      members.reportOthers(productMembers, dropped);
      const variants = members.objects('variants');
      for (const variant of variants) variant.reportOthers(variantMembers, dropped, 'variants.');
      if (members.boolean('deleted') === true) {
        return { kind: 'deleted-product', line, externalId: members.externalId() };
      }
      return { kind: 'product', line, ...toProduct(members, variants, keepsIds) };
    }
    case 'collection':
      members.reportOthers(collectionMembers, dropped);
      return { kind: 'collection', line, values: toCollection(members, keepsIds) };
    case 'order':
      members.reportOthers(orderMembers, dropped);
      return { kind: 'order', line, values: toOrder(members, dropped, keepsIds) };
    case null:
      return undefined;
  }
}
