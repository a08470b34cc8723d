import {
  csvColumnsOf,
  csvTypes,
  fromCell,
  ownerColumn,
  type CsvColumn,
  type CsvType,
} from '../../catalog/export/csv-table';
import type { SourceFile } from '../source/source-file';
import { parseBoolean } from '../values/boolean';
import { SourceLocation } from '../values/import-error';
import { parseJsonLine } from '../values/json-line';
import { CsvColumns, absentColumns, readRows } from './csv-columns';
import type { ColumnNames } from './rules';
import type { Companion, Format, ReadContext } from './format';
import { JsonMembers } from './json-members';
import type { CatalogRecord, RecordKind, VariantValues } from './record';
import { toCollection, toOrder, toProduct, toVariant } from './snapshot-records';

interface OwnCsv {
  readonly kinds: readonly RecordKind[];
  readonly companion?: Companion;
  toRecord(members: JsonMembers, at: SourceLocation, context: ReadContext): CatalogRecord | Promise<CatalogRecord>;
}

const forms: Readonly<Record<CsvType, OwnCsv>> = {
  products: {
    kinds: ['product'],
    companion: { format: 'catalog-variants', title: 'the variants file', isFirst: true },
    async toRecord(members, { line }, context) {
      const product = toProduct(members, [], context.keepsIds);
      const variants: VariantValues[] = [];
      // Variants from their own file have positions and external ids.
      for await (const [{ variant }] of context.joined.take([product.values.external_id], true))
        variants.push({ ...variant, external_id: variant.external_id ?? '' });
      return { kind: 'product', line, ...product, variants };
    },
  },
  variants: {
    kinds: [],
    companion: { format: 'catalog-products', title: 'the products file', isFirst: false },
    toRecord: (members, { line, file }, { keepsIds }) => ({
      kind: 'variant',
      line,
      file,
      productId: members.requiredText(ownerColumn),
      variant: { ...toVariant(members, keepsIds), line },
      absent: [],
    }),
  },
  collections: {
    kinds: ['collection'],
    toRecord: (members, { line }, context) => ({
      kind: 'collection',
      line,
      values: toCollection(members, context.keepsIds),
    }),
  },
  orders: {
    kinds: ['order'],
    toRecord: (members, { line }, { dropped, keepsIds }) => ({
      kind: 'order',
      line,
      values: toOrder(members, dropped, keepsIds),
    }),
  },
};

/** How a column is imported. */
const meaningOf = ({ name, kind }: CsvColumn): string =>
  name === ownerColumn
    ? 'identifies the product of the variant'
    : kind === 'derived' || kind === 'owner'
      ? 'nothing'
      : kind === 'key'
        ? 'id, with --keep-ids'
        : name;

/** A table written by `catalog export --format csv`. Requires all of its columns, so that nothing is lost. */
function createFormat(type: CsvType): Format<`catalog-${CsvType}`> {
  const { kinds, companion, toRecord } = forms[type];
  const columns = csvColumnsOf(type);
  const names: ColumnNames<string> = Object.fromEntries(columns.map(({ name }) => [name, [name]]));
  const meanings = new Map(columns.map((column) => [column.name, meaningOf(column)]));
  return {
    name: `catalog-${type}`,
    kinds,
    hasIds: true,
    delimiter: ',',
    ...(companion && { companion }),
    explains: { column: (name) => meanings.get(name) ?? 'nothing', names },
    absentFrom: (sample) => absentColumns(Object.values(names), sample),
    async *read(source: SourceFile, context: ReadContext) {
      const { problems } = context;
      for await (const cells of readRows(source, (header) => new CsvColumns(source.name, header, names, context))) {
        const values = columns.map((column): [string, unknown] => {
          const toList = (text: string): unknown => parseJsonLine(`{"list":${text}}`, cells.at(column.name))['list'];
          // Accepts what spreadsheets in other languages save, such as WAHR or 5,50.
          const toPlain = (cell: string): string =>
            column.kind === 'flag'
              ? String(parseBoolean(cell) ?? cell)
              : column.kind === 'decimal'
                ? cells.row.numbers.toPlain(cell, cells.at(column.name))
                : cell;
          return [column.name, problems.readOr(() => fromCell(column, toPlain(cells.raw(column.name)), toList), null)];
        });
        const at = new SourceLocation(source.name, cells.row.line);
        const record = await toRecord(new JsonMembers(Object.fromEntries(values), at, problems, true), at, context);
        const count = cells.trimmed('variant_count');
        if (record.kind === 'product' && count !== null && Number(count) !== record.variants.length)
          source.note('variants', at.line);
        yield record;
      }
    },
  };
}

export const ownCsv = csvTypes.map(createFormat);
