import { absentColumns } from '../formats/csv-columns';
import type { FileSample, Format, ReadContext, TableExplained } from '../formats/format';
import type { CatalogRecord, JoinedVariantRecord } from '../formats/record';
import type { SourceFile } from '../source/source-file';
import { namesOf, type Column } from './map-node';
import { mapVariants } from './map-rules';
import { columnsOf, firstName, isNamed, MappedTable } from './mapped-table';
import type { ImportMap } from './read-map';
import { readObjects } from './read-objects';
import { ProductsReader } from './read-products';

/** Tables described by a map: the main file, or a second file with variants. */
type MappedKind = 'product' | 'variant' | 'order' | 'collection';

/** The format of the files that a map describes. */
export class MapFormat<Name extends string = string> implements Format<Name> {
  constructor(
    readonly name: Name,
    readonly description: string,
    private readonly kind: MappedKind,
    private readonly open: () => ImportMap,
  ) {}

  get kinds(): Format['kinds'] {
    const { kind } = this;
    if (kind !== 'product') return kind === 'variant' ? [] : [kind];
    return this.open().product?.get('collections')?.create === true ? ['product', 'collection'] : ['product'];
  }

  get delimiter(): string | undefined {
    return this.open().delimiter;
  }

  get companion(): Format['companion'] {
    const file = this.open().variants_file;
    if (this.kind === 'variant')
      return { format: this.name.replace(/-variants$/, ''), title: 'the products file', isFirst: false };
    return file && { format: `${this.name}-variants`, title: file.title ?? 'the variants file', isFirst: true };
  }

  get explains(): TableExplained {
    const named = columnsOf(this.open(), this.kind === 'variant');
    const column = (of: Column): string =>
      [...new Set(named.filter((one) => isNamed(of, one)).map(({ path }) => meaningOf(path)))].join(', ');
    return {
      column,
      names: Object.fromEntries(named.map((one) => [one.column, [firstName(one), ...namesOf(one.column)]])),
    };
  }

  absentFrom(sample: FileSample) {
    const { recognized_by: columns, variants_file: file } = this.open();
    const needed = this.kind === 'variant' && file ? (file.recognized_by ?? [file.product]) : columns;
    return absentColumns(needed.map(namesOf), sample);
  }

  read(source: SourceFile, context: ReadContext): AsyncGenerator<CatalogRecord, void, void> {
    const map = this.open();
    if (this.kind === 'variant') return readVariants(map, source, context);
    if (this.kind === 'product') return new ProductsReader(source, map, context).read();
    return readObjects(this.kind, map, source, context);
  }
}

/** How a column is imported, by its place in the map. */
function meaningOf(path: string): string {
  if (path.startsWith('rows.skip_when')) return 'selects the rows to read';
  if (path.startsWith('rows.')) return 'groups rows';
  const [, part, member = ''] = /^(?:variants_file\.)?(\w+)(?:\.(\w+))?/.exec(path) ?? [];
  if (member === '') return 'identifies the product of the variant';
  return part === 'variant' ? `variants.${member}` : member;
}

async function* readVariants(
  map: ImportMap,
  source: SourceFile,
  context: ReadContext,
): AsyncGenerator<JoinedVariantRecord, void, void> {
  const { variants_file: file } = map;
  if (file === undefined) return;
  const { product, variant } = file;
  const variants = mapVariants(variant);
  let absent: JoinedVariantRecord['absent'] = [];
  const open = (table: MappedTable): void => {
    if (variant.options && !table.has('variants_file.variant.options'))
      throw table.location.fault('expected the columns of the options, to tell the variants of a product apart');
    absent = variants.absentFrom(table);
  }; // prettier-ignore
  for await (const row of MappedTable.rows(source, map, context, open, true)) {
    const productId = row.trimmed(product);
    if (productId === null) {
      context.problems.addFatal(row.cells.at(product).refuse('', 'the ID of the product on every row'));
      continue;
    }
    const found = variants.read(row);
    yield { kind: 'variant', line: row.line, file: source.name, productId, variant: found, absent };
  }
}
