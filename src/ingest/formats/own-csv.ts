import type { CsvColumn, CsvType } from '../../catalog/export/csv-table';
import { csvColumnsOf, fromCell, ownerColumn } from '../../catalog/export/csv-table';
import { readCsvRows } from '../source/csv-rows';
import type { SourceFile } from '../source/source-file';
import { SourceLocation } from '../values/import-error';
import { parseJsonLine } from '../values/json-line';
import { lackedColumns } from './csv-columns';
import { descriptions } from './descriptions';
import type { Companion, Format, ReadContext, TableExplained } from './format';
import { JsonMembers } from './json-members';
import type { CatalogRecord, JoinedVariantRecord, RecordKind, VariantValues } from './record';
import { toCollection, toOrder, toProduct, toVariant } from './snapshot-records';

type ToRecord = (members: JsonMembers, row: Row, context: ReadContext) => CatalogRecord | Promise<CatalogRecord>;

interface Row {
  readonly line: number;
  readonly file: string;
  readonly owner: string;
}

interface OwnCsv {
  readonly kinds: readonly RecordKind[];
  readonly companion?: Companion;
  readonly toRecord: ToRecord;
}

const forms: Readonly<Record<CsvType, OwnCsv>> = {
  products: {
    kinds: ['product'],
    companion: { format: 'catalog-variants', title: 'the file of the variants', isFirst: true },
    async toRecord(members, { line }, context) {
      const product = toProduct(members, [], context.keepsIds);
      const joined = await context.variantsOf(product.values.external_id);
      return { kind: 'product', line, ...product, variants: toPositioned(joined, context) };
    },
  },
  variants: {
    kinds: [],
    companion: { format: 'catalog-products', title: 'the file of the products', isFirst: false },
    toRecord: (members, { line, file, owner }, { keepsIds }): JoinedVariantRecord => ({
      kind: 'variant',
      line,
      file,
      productId: owner,
      variant: { ...toVariant(members, keepsIds), line },
      lacks: [],
    }),
  },
  collections: {
    kinds: ['collection'],
    toRecord: (members, { line }, { keepsIds }) => ({
      kind: 'collection',
      line,
      values: toCollection(members, keepsIds),
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

/** A table that `catalog export --format csv` wrote: all of its columns, so that nothing is lost by reading it. */
function createFormat<Type extends CsvType>(type: Type): Format<`catalog-${Type}`> {
  const { kinds, companion, toRecord } = forms[type];
  const columns = csvColumnsOf(type);
  return {
    name: `catalog-${type}`,
    description: descriptions[`catalog-${type}`],
    kinds,
    hasIds: true,
    delimiter: ',',
    ...(companion && { companion }),
    explains: explain(columns),
    lacks: (sample) =>
      lackedColumns(
        columns.map(({ name }) => [name]),
        sample,
      ),
    read: (source, context) => read(source, context, columns, toRecord),
  };
}

export const catalogProducts = createFormat('products');
export const catalogVariants = createFormat('variants');
export const catalogCollections = createFormat('collections');
export const catalogOrders = createFormat('orders');

async function* read(
  source: SourceFile,
  context: ReadContext,
  columns: readonly CsvColumn[],
  toRecord: ToRecord,
): AsyncGenerator<CatalogRecord, void, void> {
  let at: readonly (readonly [CsvColumn, number])[] | undefined;
  for await (const { line, cells } of readCsvRows(source)) {
    if (at === undefined) {
      at = findColumns(columns, cells, new SourceLocation(source.name, line), context);
      continue;
    }
    const location = new SourceLocation(source.name, line);
    const texts = at.map(([column, index]) => [column, fromCell(column, cells[index] ?? '')] as const);
    const text = `{${texts.map(([{ name }, json]) => `${JSON.stringify(name)}:${json}`).join(',')}}`;
    const owner = JSON.parse(texts.find(([{ name }]) => name === ownerColumn)?.[1] ?? '""') as string | null;
    const members = context.problems.collect(
      () => new JsonMembers(parseJsonLine(text, location), location, context.problems),
      undefined,
    );
    if (members === undefined) continue;
    if (owner === null) context.problems.collect(() => members.requiredText(ownerColumn), '');
    else yield await toRecord(members, { line, file: source.name, owner }, context);
  }
}

function findColumns(
  columns: readonly CsvColumn[],
  header: readonly string[],
  location: SourceLocation,
  context: ReadContext,
): readonly (readonly [CsvColumn, number])[] {
  const names = header.map((cell) => cell.trim().toLowerCase());
  const missing = columns.filter(({ name }) => !names.includes(name)).map(({ name }) => name);
  if (missing.length > 0)
    throw location.fault(
      `expected all columns of an export; ${missing.join(', ')} ${missing.length === 1 ? 'is' : 'are'} missing`,
    );
  context.noteColumns(
    [],
    header.filter((_, index) => !columns.some(({ name }) => name === names[index])),
    columns.map(({ name }) => ({ column: name, index: names.indexOf(name), name })),
  );
  return columns.map((column) => [column, names.indexOf(column.name)]);
}

/** Variants from their own file have their places and their external ids. */
function toPositioned(joined: readonly JoinedVariantRecord[], { problems }: ReadContext): readonly VariantValues[] {
  const seen = new Set<string>();
  return joined.map(({ file, line, variant }) => {
    const { external_id: id, line: _line, ...values } = variant;
    const externalId = id ?? '';
    if (seen.has(externalId)) {
      problems.collect(() => {
        throw new SourceLocation(file, line, 'external_id').fault(
          `the variant ${JSON.stringify(externalId)} of a product appears twice`,
        );
      }, undefined);
    }
    seen.add(externalId);
    return { ...values, external_id: externalId };
  });
}

function explain(columns: readonly CsvColumn[]): TableExplained {
  const becomes = ({ name, kind }: CsvColumn): string =>
    kind === 'derived'
      ? 'nothing'
      : name === ownerColumn
        ? 'which product a variant is of'
        : kind === 'owner'
          ? 'nothing'
          : name;
  return {
    column: (name) => becomes(columns.find((column) => column.name === name) ?? { name, kind: 'derived' }),
    columns: () => columns.map((column) => [column.name, becomes(column)]),
    spellings: columns.map(({ name }) => name),
  };
}
