import { FirstLines } from '../formats/first-lines';
import type { ReadContext } from '../formats/format';
import { ProductOfRows } from '../formats/product-of-rows';
import type {
  AbsentFromProducts,
  ProductRecord,
  ProductValues,
  UnpositionedVariant,
  VariantValues,
} from '../formats/record';
import type { SourceFile } from '../source/source-file';
import { SpillBuffer } from '../source/spill-buffer';
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
  /** Undefined for the row of a variant, and after a problem of an id. */
  readonly values: ProductValues | undefined;
  readonly variant: UnpositionedVariant | undefined;
  /** The variants of the product, where its row lists them. */
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
  #skipped = 0;

  constructor(
    private readonly source: SourceFile,
    private readonly map: ImportMap,
    private readonly context: ReadContext,
  ) {
    this.#rules = mapProducts(map.product ?? new Map());
    this.#variants = mapVariants(map.variant ?? { members: new Map(), options: undefined });
    this.#rows = map.rows ?? {};
  }

  async *read(): AsyncGenerator<ProductRecord, void, void> {
    const { parent, children } = this.#rows;
    yield* parent || children ? this.#readBuffered() : this.#readInOrder();
    if (this.#skipped > 0)
      this.context.warn(`${this.#skipped} rows are neither products nor variants by the map, and were not read`);
  }

  async *#readInOrder(): AsyncGenerator<ProductRecord, void, void> {
    const { product_when: isProduct, same, first_is_variant: isFirstVariant } = this.#rows;
    let product: ProductOfRows | undefined;
    let first: MappedRow | undefined;
    let group: string | null = null;
    const counts = { products: 0, below: 0 };
    // In a sorted file all rows below products are behind the last product.
    let isSorted = true;
    for await (const row of this.#table()) {
      if (isProduct && !row.holds(isProduct)) {
        counts.below += 1;
        this.#addBelow(row, product, first);
        continue;
      }
      const key = same === undefined ? null : row.trimmed(same);
      if (same !== undefined && key === null) {
        row.cells.report(row.cells.at(same).refuse('', 'a value on every row: rows of one product have the same'));
        continue;
      }
      if (key !== null && key === group) {
        this.#addVariant(row, product, first);
        continue;
      }
      if (product) yield await this.#finish(product);
      counts.products += 1;
      isSorted &&= counts.below === 0;
      [first, group] = [row, key];
      const parsed = this.#parse(row, true);
      product = this.#startProduct(parsed);
      // Not read from the row again: its problems were reported.
      if (parsed.variant && (same !== undefined || isFirstVariant))
        product?.add(() => parsed.variant as UnpositionedVariant, row.line, row.cells.size);
    }
    if (product) yield await this.#finish(product);
    if (isSorted && counts.products > 1 && counts.below > 0)
      this.context.warn(
        `all ${counts.below} rows below products follow the last of ${counts.products} products, and were read as its own: if the file was sorted, import it as it was exported`,
      );
  }

  /** Rows whose product is known only at the end of the file. */
  async *#readBuffered(): AsyncGenerator<ProductRecord, void, void> {
    const { parent, children } = this.#rows;
    const names = parent?.names ?? children?.names ?? '';
    const buffer = new SpillBuffer<ParsedRow>();
    const products: { readonly index: number; readonly name: string | null }[] = [];
    /** Rows by the name of the product that they name as theirs, or by the name by which products list them. */
    const variants = new Map<string, number[]>();
    const listedNames = new Set<string>();
    try {
      for await (const row of this.#table()) {
        const product = parent ? row.trimmed(parent.column) : null;
        const name = row.trimmed(names);
        const listed = children && name !== null ? toListed(row, children) : undefined;
        for (const child of listed ?? []) listedNames.add(child.name);
        const index = await buffer.add({ ...this.#parse(row, product === null), ...(listed && { listed }) });
        if (product === null) products.push({ index, name });
        const key = children ? name : product;
        if (key === null) continue;
        const others = variants.get(key);
        if (others && children)
          row.cells.report(row.cells.at(names).fault(`${JSON.stringify(name)} already appears in an earlier line`));
        else if (others) others.push(index);
        else variants.set(key, [index]);
      }
      const missing: string[] = [];
      for (const { index, name } of products) {
        if (name !== null && listedNames.has(name)) continue;
        const { listed = [], ...row } = await buffer.get(index);
        const product = this.#startProduct(row);
        for (const { name: child, options } of listed) {
          const [at] = variants.get(child) ?? [];
          const found = at === undefined ? undefined : (await buffer.get(at)).variant;
          if (at === undefined || !found) missing.push(child);
          else product?.add(() => ({ ...found, title: null, options }), found.line, buffer.sizeOf(at));
        }
        for (const own of parent ? new Set([name, product?.id ?? name]) : []) {
          for (const at of (own === null ? undefined : variants.get(own)) ?? []) {
            const { variant } = await buffer.get(at);
            if (variant) product?.add(() => variant, variant.line, buffer.sizeOf(at));
          }
          if (own !== null) variants.delete(own);
        }
        if (product) yield await this.#finish(product);
      }
      const orphans = parent ? [...variants.values()].flat().length : 0;
      if (orphans > 0) {
        this.context.warn(
          `${orphans} rows of variants were not read, because the file does not have their products (${listFirst(variants.keys(), 3, quotedName)})`,
        );
      }
      if (missing.length > 0) {
        throw new ImportError(
          `${this.source.name}: expected the rows of all variants that products list, got none of ${missing.length} (${listFirst(missing, 3, quotedName)}); export simple products with the configurable ones`,
        );
      }
    } finally {
      await buffer.close();
    }
  }

  #table(): AsyncGenerator<MappedRow, void, void> {
    return MappedTable.rows(this.source, this.map, this.context, (table) => {
      this.#checkOptions(table);
      this.#absent = this.#toAbsent(table);
    });
  }

  /** Without them, and without ids, all variants of a product would be the same variant. */
  #checkOptions(table: MappedTable): void {
    const { product_when: isProduct, same, parent } = this.#rows;
    const { options } = this.map.variant ?? {};
    if (!options || !(isProduct || same || parent)) return;
    if (table.has('variant.options') || table.has('variant.external_id')) return;
    const needed = table.named('variant.options').map((column) => JSON.stringify(namesOf(column)[0]));
    throw table.location.fault(
      `expected a column ${needed.join(' or ')}, by which the variants of a product are told apart`,
    );
  }

  #addBelow(row: MappedRow, product: ProductOfRows | undefined, first: MappedRow | undefined): void {
    const { image_when: isImage, variant_when: isVariant } = this.#rows;
    if (isImage && row.holds(isImage)) product?.addImage(row.value(this.map.product?.get('image_url')), row.line);
    else if (isVariant && !row.holds(isVariant)) this.#skipped += 1;
    else if (first) this.#addVariant(row, product, first);
    else {
      const location = new SourceLocation(this.source.name, row.line);
      row.cells.report(location.fault('is the row of a variant, but no row of a product precedes it'));
    }
  }

  #addVariant(row: MappedRow, product: ProductOfRows | undefined, first: MappedRow | undefined): void {
    const { variant } = this.map;
    if (variant && product && first)
      product.add(() => this.#variants.read(row, toOptions(row, variant.options, first)), row.line, row.cells.size);
  }

  #parse(row: MappedRow, isProduct: boolean): ParsedRow {
    const { product, variant: rules } = this.map;
    const { line } = row;
    const { product_when: below, parent, children, first_is_variant: isFirstVariant } = this.#rows;
    // The row of a product that is none of its variants has no options.
    const isVariant = !isProduct || !(below || parent || children) || isFirstVariant;
    const variant = rules && this.#variants.read(row, isVariant ? toOptions(row, rules.options, row) : []);
    if (!isProduct) return { line, values: undefined, variant };
    const rule = product?.get('external_id');
    const id = row.parsed(rule, 'externalId');
    if (id !== null) return { line, values: this.#rules.read(row), variant };
    if (row.value(rule) === null) row.cells.report(row.at(rule).refuse('', 'an id on the row of each product'));
    return { line, values: undefined, variant };
  }

  /** Undefined means that a problem was reported. */
  #startProduct({ line, values, variant }: ParsedRow): ProductOfRows | undefined {
    if (values === undefined) return undefined;
    const { problems } = this.context;
    this.#firstLines.begin(values.external_id, new SourceLocation(this.source.name, line), problems);
    const { inherit = [] } = this.#rows;
    return new ProductOfRows(line, values, () => variant, { file: this.source.name, problems, inherit });
  }

  async #finish(product: ProductOfRows): Promise<ProductRecord> {
    const joined = this.map.variants_file ? await this.context.variantsOf(product.id) : [];
    for (const { variant, file, line } of joined)
      product.add(() => variant, line, JSON.stringify(variant).length, file);
    const absent = this.#absent as Absent;
    return product.finish(joined[0] ? absent.joined(joined[0].absent) : absent.own);
  }

  /** The members that the file does not provide. */
  #toAbsent(table: MappedTable): Absent {
    const { variant, variants_file: file } = this.map;
    const { product_when: isProduct, same, parent, inherit = [] } = this.#rows;
    const lacked = new Set(this.#variants.absentFrom(table, this.context.warn));
    const own = new Set(lacked);
    if ((isProduct || same || parent) && !table.has('variant.options')) {
      own.add('options');
      if (!table.has('variant.title')) own.add('title');
    }
    const base = {
      product: new Set(this.#rules.rules.absentFrom([table])),
      weightUnit: false,
      optionValues: 3,
    } as const;
    const isAdded = (member: string): boolean => file?.variant.members.get(member)?.add !== undefined;
    const known = new Map<string, AbsentFromProducts>();
    return {
      own: { ...base, variant: own, ...(variant === undefined && { variants: true as const }) },
      joined(lacks) {
        const found = known.get(lacks.join());
        if (found) return found;
        const isOwn = (member: string): boolean =>
          inherit.some((one) => one === member) || isAdded(member === 'compare_at_price' ? 'price' : member);
        const absent = { ...base, variant: new Set([...lacks.filter((one) => !isOwn(one) || lacked.has(one)), ...[...lacked].filter(isAdded)]) }; // prettier-ignore
        known.set(lacks.join(), absent);
        return absent;
      },
    };
  }
}

interface Absent {
  readonly own: AbsentFromProducts;
  /** For products with variants from another file, which lack something themselves. */
  joined(lacks: readonly (keyof VariantValues)[]): AbsentFromProducts;
}

/** `sku=A,color=Red|sku=B,color=Blue`, with labels `color=Colour`. Values may hold commas, but no `|`. */
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
