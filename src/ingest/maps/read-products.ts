import { getOrMake } from '../../common/once';
import { Categories, type Category } from '../formats/categories';
import { FirstLines } from '../formats/first-lines';
import type { ReadContext } from '../formats/format';
import { LinkedRows, toReference } from '../formats/linked-rows';
import { ProductOfRows } from '../formats/product-of-rows';
import { toAbsent } from '../formats/rules';
import type {
  AbsentFromProducts,
  CollectionRecord,
  ProductRecord,
  ProductValues,
  UnpositionedVariant,
  VariantValues,
} from '../formats/record';
import type { SourceFile } from '../source/source-file';
import { listFirst, quotedName } from '../values/display-names';
import { ImportError, SourceLocation } from '../values/import-error';
import { namesOf } from './map-node';
import { toOptions } from './map-options';
import { mapProducts, mapVariants } from './map-rules';
import type { MappedRow } from './mapped-row';
import { MappedTable } from './mapped-table';
import type { ImportMap, RowRules } from './read-map';

interface ParsedRow {
  readonly line: number;
  /** Undefined for a variant row, and if the id is invalid. */
  readonly values: ProductValues | undefined;
  readonly variant: UnpositionedVariant | undefined;
  readonly categories?: readonly Category[];
  /** The value by which variant rows reference the product. */
  readonly name?: string | null;
  /** The variants of the product, if its row lists them. */
  readonly listed?: readonly ListedVariant[];
}

interface ListedVariant {
  readonly name: string;
  readonly options: UnpositionedVariant['options'];
}

/** Reads one file of products as its map describes. */
export class ProductsReader {
  readonly #rules: ReturnType<typeof mapProducts>;
  readonly #variants: ReturnType<typeof mapVariants>;
  readonly #rows: RowRules;
  readonly #firstLines = new FirstLines();
  #absent: Absent | undefined;
  readonly #categories = new Categories();
  #skipped = 0;
  #withoutVariants = 0;
  /** The number of variant rows after a product row. */
  #below = 0;

  constructor(
    private readonly source: SourceFile,
    private readonly map: ImportMap,
    private readonly context: ReadContext,
  ) {
    this.#rules = mapProducts(map.product ?? new Map());
    this.#variants = mapVariants(map.variant ?? { members: new Map(), options: undefined });
    this.#rows = map.rows ?? {};
  }

  async *read(): AsyncGenerator<ProductRecord | CollectionRecord, void, void> {
    const { parent, children } = this.#rows;
    yield* parent || children ? this.#readLinked() : this.#readInOrder();
    if (this.#skipped > 0)
      this.context.warn(
        `rows that are neither products nor variants according to the mapping file were not imported: ${this.#skipped}`,
      );
    yield* this.#categories.records(false);
  }

  async *#readInOrder(): AsyncGenerator<ProductRecord, void, void> {
    const { product_when: isProduct, same, first_is_variant: isFirstVariant } = this.#rows;
    let product: ProductOfRows | undefined;
    let first: MappedRow | undefined;
    let group: string | null = null;
    let products = 0;
    let below = 0;
    // In a sorted file, all other rows come after the last product row.
    let isSorted = true;
    for await (const row of this.#table()) {
      if (isProduct && !row.holds(isProduct)) {
        below += 1;
        if (same !== undefined && row.trimmed(same) !== group)
          this.context.problems.addFatal(row.cells.at(same).fault('rows of one product must be consecutive'));
        else this.#addBelow(row, product, first);
        continue;
      }
      const key = same === undefined ? null : row.trimmed(same);
      if (same !== undefined && key === null) {
        // No object may be left out instead: the row may belong to the one before or after it.
        this.context.problems.addFatal(
          row.cells.at(same).refuse('', 'a value on every row (the same for all rows of a product)'),
        );
        continue;
      }
      if (!isProduct && key !== null && key === group) {
        this.#addVariant(row, product, first);
        continue;
      }
      if (product) yield await this.#finish(product, first);
      products += 1;
      isSorted &&= below === 0;
      [first, group] = [row, key];
      const parsed = this.#parse(row, true);
      product = this.#startProduct(parsed);
      // Not read again, because its problems would be reported twice.
      if (parsed.variant && (isProduct ? isFirstVariant : same !== undefined))
        product?.add(() => parsed.variant as UnpositionedVariant, row.line, row.cells.size);
    }
    if (product) yield await this.#finish(product, first);
    if (this.#withoutVariants > 0)
      this.context.warn(
        `products with options but no variant rows, each imported as one variant without options: ${this.#withoutVariants}`,
      );
    if (isProduct && isSorted && products > 1 && this.#below > 0)
      this.context.warn(
        `variant rows after the last of ${products} product rows, all assigned to that product: ${this.#below}; if the file was sorted, import the original export`,
      );
  }

  /** Rows whose product is known only at the end of the file. */
  async *#readLinked(): AsyncGenerator<ProductRecord, void, void> {
    const { parent, children } = this.#rows;
    const names = parent?.names ?? children?.names ?? '';
    const rows = new LinkedRows<UnpositionedVariant, ParsedRow>('the same file');
    const listedNames = new Set<string>();
    try {
      for await (const row of this.#table()) {
        this.context.problems.beginObject(row.line);
        const product = parent ? row.trimmed(parent.column) : null;
        const name = row.trimmed(names);
        const listed = (children && name !== null && toListed(row, children)) || [];
        for (const child of listed) listedNames.add(toReference(child.name));
        const parsed = this.#parse(row, product === null);
        if (product === null) await rows.addProduct({ ...parsed, name, listed });
        const reference = children ? name : product;
        if (reference === null || !parsed.variant) continue;
        if (children && rows.has(reference))
          row.cells.report(row.cells.at(names).fault(`${JSON.stringify(name)} already appears on an earlier line`));
        else await rows.add(parsed.variant, reference, row.cells.location);
      }
      this.context.problems.endObjects();
      const missing: string[] = [];
      for await (const { name = null, listed = [], ...row } of rows.products()) {
        if (name !== null && listedNames.has(toReference(name))) continue;
        const product = this.#startProduct(row);
        for (const { name: child, options } of listed) {
          if (!rows.has(child)) missing.push(child);
          for await (const [variant, size] of rows.take([child], true))
            product?.add(() => ({ ...variant, title: null, options }), variant.line, size);
        }
        for await (const [variant, size] of rows.take(parent && product ? [name ?? product.id, product.id] : []))
          product?.add(() => variant, variant.line, size);
        if (product) yield await this.#finish(product);
      }
      for (const warning of parent ? rows.warnings : []) this.context.warn(warning);
      if (missing.length > 0) {
        throw new ImportError(
          `${this.source.name}: expected rows for all variants that products list, missing ${listFirst(missing, 3, quotedName)}; export simple products with the configurable ones`,
        );
      }
    } finally {
      await rows.close();
    }
  }

  #table(): AsyncGenerator<MappedRow, void, void> {
    return MappedTable.rows(this.source, this.map, this.context, (table) => {
      this.#checkOptions(table);
      this.#absent = this.#toAbsent(table);
    });
  }

  /** Without options and ids, all variants of a product would be the same variant. */
  #checkOptions(table: MappedTable): void {
    const { product_when: isProduct, same, parent } = this.#rows;
    const { options } = this.map.variant ?? {};
    if (!options || !(isProduct || same || parent)) return;
    if (table.has('variant.options') || table.has('variant.external_id')) return;
    const needed = table.named('variant.options').map((column) => JSON.stringify(namesOf(column)[0]));
    throw table.location.fault(`expected a column ${needed.join(' or ')}, to tell the variants of a product apart`);
  }

  #addBelow(row: MappedRow, product: ProductOfRows | undefined, first: MappedRow | undefined): void {
    const { image_when: isImage, variant_when: isVariant } = this.#rows;
    if (isImage && row.holds(isImage)) product?.addImages(this.#rules.images(row), row.line);
    else if (isVariant && !row.holds(isVariant)) this.#skipped += 1;
    else if (first) this.#addVariant(row, product, first);
    else {
      const location = new SourceLocation(this.source.name, row.line);
      row.cells.report(location.fault('is a variant row without a product row before it'));
    }
  }

  #addVariant(row: MappedRow, product: ProductOfRows | undefined, first: MappedRow | undefined): void {
    const { variant } = this.map;
    if (!(variant && product && first)) return;
    this.#below += 1;
    product.add(() => this.#variants.read(row, first), row.line, row.cells.size);
  }

  #parse(row: MappedRow, isProduct: boolean): ParsedRow {
    const { product, variant: rules } = this.map;
    const { line } = row;
    const { product_when: below, parent, children, first_is_variant: isFirstVariant } = this.#rows;
    // A product row that is not also a variant has no options.
    const isVariant = !isProduct || !(below || parent || children) || isFirstVariant === true;
    const variant = rules && this.#variants.read(row, row, isVariant);
    if (!isProduct) return { line, values: undefined, variant };
    const own = row.by(product);
    const categories = product?.get('collections')?.create === true ? own.collections() : [];
    return { line, values: own.id('external_id') === '' ? undefined : this.#rules.read(own), variant, categories };
  }

  /** Undefined means that a problem was reported. */
  #startProduct({ line, values, variant, categories = [] }: ParsedRow): ProductOfRows | undefined {
    if (values === undefined) return undefined;
    const { problems } = this.context;
    const location = new SourceLocation(this.source.name, line);
    const { inherit = [], same } = this.#rows;
    if (!this.#firstLines.begin(values.external_id, location, problems, 'product', same && '')) return undefined;
    this.#categories.add(categories, line);
    return new ProductOfRows(line, values, () => variant, { file: this.source.name, problems, inherit });
  }

  async #finish(product: ProductOfRows, first?: MappedRow): Promise<ProductRecord> {
    const options =
      this.#rows.product_when && product.isWithoutVariants && first
        ? toOptions(first, this.map.variant?.options, first)
        : [];
    if (options.length > 0) this.#withoutVariants += 1;
    let absent = (this.#absent as Absent).own;
    if (this.map.variants_file) {
      for await (const [joined, size] of this.context.joined.take([product.id], true)) {
        absent = (this.#absent as Absent).joined(joined.absent);
        product.add(() => joined.variant, joined.line, size, joined.file);
      }
    }
    return product.finish(absent);
  }

  /** The members that the file does not provide. */
  #toAbsent(table: MappedTable): Absent {
    const { variant, variants_file: file } = this.map;
    const { product_when: isProduct, same, parent, inherit = [] } = this.#rows;
    const lacked = new Set(this.#variants.absentFrom(table));
    const own = new Set(lacked);
    if ((isProduct || same || parent) && !table.has('variant.options')) {
      own.add('options');
      if (!table.has('variant.title')) own.add('title');
    }
    const product = [
      ...this.#rules.rules.absentFrom([table]),
      ...(table.has('product.collections.position') ? [] : (['positions'] as const)),
    ];
    const isAdded = (member: string): boolean => file?.variant.members.get(member)?.add !== undefined;
    const isOwn = (member: string): boolean =>
      inherit.some((one) => one === member) || isAdded(member === 'compare_at_price' ? 'price' : member);
    const known = new Map<string, AbsentFromProducts>();
    return {
      own: toAbsent(product, [...own], variant ? {} : { variants: true }),
      joined: (lacks) =>
        getOrMake(known, lacks.join(), () => {
          const others = lacks.filter((one) => !isOwn(one) || lacked.has(one));
          return toAbsent(product, [...others, ...[...lacked].filter(isAdded)]);
        }),
    };
  }
}

interface Absent {
  readonly own: AbsentFromProducts;
  /** For products whose variants come from another file, which lacks these fields. */
  joined(lacks: readonly (keyof VariantValues)[]): AbsentFromProducts;
}

/** Parses `sku=A,color=Red|sku=B,color=Blue`, with labels `color=Shade`. Values may contain commas, but no `|`. */
function toListed(
  row: MappedRow,
  { column, labels, names }: NonNullable<RowRules['children']>,
): readonly ListedVariant[] | undefined {
  const list = row.trimmed(column);
  if (list === null) return undefined;
  const toPairs = (part: string): (readonly [string, string])[] =>
    part.split(/,(?=[\w-]+=)/).flatMap((pair) => {
      const at = pair.indexOf('=');
      return at === -1 ? [] : [[pair.slice(0, at).trim(), pair.slice(at + 1).trim()] as const];
    });
  const label = new Map(toPairs((labels === undefined ? null : row.trimmed(labels)) ?? ''));
  const isName = (key: string): boolean => namesOf(names).some((one) => one.toLowerCase() === key.toLowerCase());
  return list.split('|').flatMap((part) => {
    const pairs = toPairs(part);
    const name = pairs.find(([key]) => isName(key))?.[1];
    if (name === undefined) return [];
    const options = pairs
      .filter(([key, value]) => value !== '' && !isName(key))
      .map(([key, value]) => ({ name: label.get(key) ?? key, value }));
    return [{ name, options }];
  });
}
