import { lackedColumns } from '../formats/csv-columns';
import { FirstLines } from '../formats/first-lines';
import type { FileSample, Format, ReadContext, TableExplained } from '../formats/format';
import { ImportError, SourceLocation } from '../values/import-error';
import type {
  AbsentFromProducts,
  JoinedVariantRecord,
  ProductRecord,
  ProductValues,
  UnpositionedVariant,
  VariantValues,
} from '../formats/record';
import { listFirst, quotedName } from '../values/display-names';
import { SpillBuffer } from '../source/spill-buffer';
import type { SourceFile } from '../source/source-file';
import type { ColumnReference, ImportMap, RowRule, VariantMember, VariantRules } from './import-map';
import { isOptionColumn, optionColumns, toOptions } from './map-options';
import { columnsOfRule, mapProducts, mapVariants, type MappedVariants } from './map-rules';
import { MappedProduct } from './mapped-product';
import { keyOf, type MapColumns, type MappedRow } from './mapped-row';
import { explainMap, FormatOfMap, MappedTable } from './mapped-table';

type Rows<Form extends RowRule['form']> = Extract<RowRule, { form: Form }>;

/** The format of the files that a map describes. */
export class MapFormat<Name extends string = string> extends FormatOfMap<Name, ImportMap> implements Format<Name> {
  readonly kinds = ['product'] as const;

  get companion(): Format['companion'] {
    const { variantsFile } = this.map;
    return variantsFile && { format: variantsName(this.name), title: variantsFile.title, isFirst: true };
  }

  read(source: SourceFile, context: ReadContext): AsyncGenerator<ProductRecord, void, void> {
    const reader = new ProductsReader(source, this.map, context);
    const { form } = this.map.rows;
    return form === 'parent' || form === 'children' ? reader.readBuffered() : reader.readInOrder();
  }

  get explains(): TableExplained {
    const { product, variant, rows } = this.map;
    const rules = [mapProducts(product).rules, ...(variant ? [mapVariants(variant).rules] : [])];
    return explainMap(rules, columnsOf(this.map, new Set()), columnsOfRows(rows), variant?.options);
  }
}

const variantsName = <Name extends string>(name: Name): `${Name}-variants` => `${name}-variants`;

/** The format of the file of variants that belongs to the file of products. */
export class VariantsFileFormat<Name extends string = string> implements Format<`${Name}-variants`> {
  readonly kinds = [] as const;
  readonly name: `${Name}-variants`;

  constructor(
    private readonly products: MapFormat<Name>,
    readonly description: string,
  ) {
    this.name = variantsName(products.name);
  }

  get delimiter(): string | undefined {
    return this.products.delimiter;
  }

  get companion(): Format['companion'] {
    return { format: this.products.name, title: 'the file of the products', isFirst: false };
  }

  lacks(sample: FileSample): readonly string[] {
    return lackedColumns(this.products.map.variantsFile?.recognisedBy ?? [], sample);
  }

  async *read(source: SourceFile, given: ReadContext): AsyncGenerator<JoinedVariantRecord, void, void> {
    const { map } = this.products;
    const file = map.variantsFile;
    if (file === undefined) return;
    const table = new MappedTable(source, map, given);
    const variants = mapVariants(file);
    let lacks: JoinedVariantRecord['lacks'] = [];
    const rows = table.rows(
      (header) => [file.product, ...columnsOfVariant(file, header)],
      (columns, _, location) => {
        if (file.options && !hasOptions(file, columns)) {
          throw location.fault(
            'expected the columns of the options, by which the variants of a product are told apart',
          );
        }
        lacks = lackedBy(variants, columns, table.context);
      },
    );
    for await (const row of rows) {
      const productId = row.word(file.product);
      if (productId === null) {
        row.cells.report(row.at(file.product).refuse('', 'the id of the product on every row'));
        continue;
      }
      const variant = variants.read(row, toOptions(row, file.options, row));
      yield { kind: 'variant', line: row.line, file: source.name, productId, variant, lacks };
    }
    table.warn();
  }

  get explains(): TableExplained {
    const { variantsFile } = this.products.map;
    if (variantsFile === undefined) return explainMap([], [], []);
    const { product, options } = variantsFile;
    const columns = [product, ...columnsOfVariant(variantsFile, new Set())];
    return explainMap([mapVariants(variantsFile).rules], columns, [product], options, 'which product a variant is of');
  }
}

const columnsOfVariant = (
  { members, options }: VariantRules,
  header: ReadonlySet<string>,
): readonly ColumnReference[] => [
  ...[...members.values()].flatMap(columnsOfRule),
  ...(options ? optionColumns(options, header) : []),
];

const columnsOfRows = (rows: RowRule): readonly ColumnReference[] =>
  (rows.form === 'below'
    ? [rows.productWhen.column, rows.variantWhen?.column, rows.imageWhen?.column]
    : rows.form === 'same'
      ? [rows.column]
      : rows.form === 'parent'
        ? [rows.column, rows.names]
        : rows.form === 'children'
          ? [rows.column, rows.names, rows.labels]
          : []
  ).filter((one) => one !== undefined);

const columnsOf = ({ product, variant }: ImportMap, header: ReadonlySet<string>): readonly ColumnReference[] => [
  ...[...product.values()].flatMap(columnsOfRule),
  ...(variant ? columnsOfVariant(variant, header) : []),
];

/** Reads one file of products as its map describes. */
class ProductsReader {
  readonly #table: MappedTable;
  readonly #context: ReadContext;
  readonly #products: ReturnType<typeof mapProducts>;
  readonly #variants: MappedVariants;
  readonly #firstLines = new FirstLines();
  #absent: Absent | undefined;
  #skipped = 0;

  constructor(
    private readonly source: SourceFile,
    private readonly map: ImportMap,
    context: ReadContext,
  ) {
    this.#table = new MappedTable(source, map, context);
    this.#context = this.#table.context;
    this.#products = mapProducts(map.product);
    this.#variants = mapVariants(map.variant ?? { members: new Map(), options: undefined });
  }

  async *readInOrder(): AsyncGenerator<ProductRecord, void, void> {
    const rows = this.map.rows as Rows<'single' | 'below' | 'same'>;
    let product: MappedProduct | undefined;
    let first: MappedRow | undefined;
    let group: string | undefined;
    const counts = { products: 0, below: 0 };
    // In a sorted file all rows below products are behind the last product.
    let isSorted = true;
    for await (const row of this.#rows()) {
      if (rows.form === 'below' && !row.holds(rows.productWhen)) {
        counts.below += 1;
        this.#addBelow(row, rows, product, first);
        continue;
      }
      const key = rows.form === 'same' ? row.word(rows.column) : null;
      if (rows.form === 'same' && key === null) {
        row.cells.report(row.at(rows.column).refuse('', 'a value on every row: rows of one product have the same'));
        continue;
      }
      if (key !== null && key === group) {
        this.#addVariant(row, product, first);
        continue;
      }
      if (product) yield await this.#finish(product);
      counts.products += 1;
      isSorted &&= counts.below === 0;
      [first, group] = [row, key ?? undefined];
      const parsed = this.#parse(row, true);
      product = this.#startProduct(parsed);
      // Not read from the row again: its problems were reported.
      const isVariant = rows.form === 'same' || (rows.form === 'below' && rows.firstIsVariant);
      if (isVariant && parsed.variant) product?.add(parsed.variant, row.size);
    }
    if (product) yield await this.#finish(product);
    if (isSorted && counts.products > 1 && counts.below > 0)
      this.#context.warn(
        `all ${counts.below} rows below products follow the last of ${counts.products} products, and were read as its own: if the file was sorted, import it as it was exported`,
      );
    this.#warn();
  }

  /** Rows whose product is known only at the end of the file. */
  async *readBuffered(): AsyncGenerator<ProductRecord, void, void> {
    const rows = this.map.rows as Rows<'parent' | 'children'>;
    const buffer = new SpillBuffer<ParsedRow>();
    const products: { readonly index: number; readonly name: string | null }[] = [];
    const variants = new Map<string, number[]>();
    /** The rows that products list as their variants. */
    const children = new Set<string>();
    const all: Waiting = { buffer, products, variants };
    try {
      for await (const row of this.#rows()) {
        const parent = rows.form === 'parent' ? row.word(rows.column) : null;
        const name = row.word(rows.names);
        const listed = rows.form === 'children' && name !== null ? toListed(row, rows) : undefined;
        for (const child of listed ?? []) children.add(child.name);
        const index = await buffer.add({ ...this.#parse(row, parent === null), ...(listed && { listed }) });
        if (parent !== null) {
          const others = variants.get(parent);
          if (others) others.push(index);
          else variants.set(parent, [index]);
        } else products.push({ index, name });
        if (rows.form === 'children' && name !== null) {
          if (variants.has(name))
            row.cells.report(row.at(rows.names).fault(`${JSON.stringify(name)} already appears in an earlier line`));
          else variants.set(name, [index]);
        }
      }
      if (this.#table.columns === undefined) return;
      if (rows.form === 'parent') yield* this.#joinParents(all);
      else yield* this.#joinChildren(all, children);
      this.#warn();
    } finally {
      await buffer.close();
    }
  }

  async *#joinParents({ buffer, products, variants }: Waiting): AsyncGenerator<ProductRecord, void, void> {
    for (const { index, name } of products) {
      const product = this.#startProduct(await buffer.get(index));
      const [byName, byId] = [
        name === null ? [] : (variants.get(name) ?? []),
        product && name !== product.id ? (variants.get(product.id) ?? []) : [],
      ];
      if (name !== null) variants.delete(name);
      if (product) variants.delete(product.id);
      for (const at of [...byName, ...byId]) {
        const { variant } = await buffer.get(at);
        if (variant) product?.add(variant, buffer.sizeOf(at));
      }
      if (product) yield await this.#finish(product);
    }
    const orphans = [...variants.values()].reduce((sum, indexes) => sum + indexes.length, 0);
    if (orphans > 0) {
      this.#context.warn(
        `${orphans} rows of variants were not read, because the file does not have their products (${listFirst(variants.keys(), 3, quotedName)})`,
      );
    }
  }

  async *#joinChildren(
    { buffer, products, variants }: Waiting,
    children: ReadonlySet<string>,
  ): AsyncGenerator<ProductRecord, void, void> {
    const missing: string[] = [];
    for (const { index, name } of products) {
      if (name !== null && children.has(name)) continue;
      const row = await buffer.get(index);
      const product = this.#startProduct(row);
      if (product === undefined) continue;
      for (const child of row.listed ?? []) {
        const at = variants.get(child.name)?.[0];
        const found = at === undefined ? undefined : (await buffer.get(at)).variant;
        if (at === undefined || !found) missing.push(child.name);
        else product.add({ ...found, title: null, options: child.options }, buffer.sizeOf(at));
      }
      yield await this.#finish(product);
    }
    if (missing.length === 0) return;
    throw new ImportError(
      `${this.source.name}: expected the rows of all variants that products list, got none of ${missing.length} (${listFirst(missing, 3, quotedName)}); export simple products with the configurable ones`,
    );
  }

  #rows(): AsyncGenerator<MappedRow, void, void> {
    const { map } = this;
    return this.#table.rows(
      (header) => [...columnsOfRows(map.rows), ...columnsOf(map, header)],
      (columns, header, location) => {
        this.#checkOptions(columns, header, location);
        this.#absent = this.#toAbsent(columns);
      },
    );
  }

  /** Without them, and without ids, all variants of a product would be the same variant. */
  #checkOptions(columns: MapColumns, header: ReadonlySet<string>, location: SourceLocation): void {
    const { variant, rows } = this.map;
    const id = variant?.members.get('external_id')?.column;
    if (!variant?.options || rows.form === 'children' || rows.form === 'single' || (id && columns.has(keyOf(id))))
      return;
    const needed = optionColumns(variant.options, header);
    if (needed.some((column) => columns.has(keyOf(column)))) return;
    throw location.fault(
      `expected a column ${needed.map((column) => JSON.stringify(column[0])).join(' or ')}, by which the variants of a product are told apart`,
    );
  }

  #addBelow(
    row: MappedRow,
    rows: Rows<'below'>,
    product: MappedProduct | undefined,
    first: MappedRow | undefined,
  ): void {
    if (rows.imageWhen && row.holds(rows.imageWhen)) {
      product?.addImage(row.value(this.map.product.get('image_url')));
    } else if (rows.variantWhen && !row.holds(rows.variantWhen)) {
      this.#skipped += 1;
    } else if (first === undefined) {
      row.cells.report(
        new SourceLocation(this.source.name, row.line).fault(
          'is the row of a variant, but no row of a product precedes it',
        ),
      );
    } else {
      this.#addVariant(row, product, first);
    }
  }

  #addVariant(row: MappedRow, product: MappedProduct | undefined, first: MappedRow | undefined): void {
    const { variant } = this.map;
    if (!variant || !product || !first) return;
    product.add(this.#variants.read(row, toOptions(row, variant.options, first)), row.size);
  }

  #parse(row: MappedRow, isProduct: boolean): ParsedRow {
    const { product, variant: rules } = this.map;
    const { line } = row;
    const options = isProduct && !this.#isVariantToo ? [] : toOptions(row, rules?.options, row);
    const variant = rules && this.#variants.read(row, options);
    if (!isProduct) return { line, product: false, values: undefined, variant };
    const rule = product.get('external_id');
    const id = row.indexed(rule);
    if (id !== null) return { line, product: true, values: this.#products.read(row), variant };
    if (row.value(rule) === null) row.cells.report(row.at(rule?.column).refuse('', 'an id on the row of each product'));
    return { line, product: false, values: undefined, variant };
  }

  /** Whether the row of a product is one of its variants: otherwise it has no options. */
  get #isVariantToo(): boolean {
    const { rows } = this.map;
    return rows.form === 'single' || rows.form === 'same' || (rows.form === 'below' && rows.firstIsVariant);
  }

  /** Undefined means that a problem was reported. */
  #startProduct({ line, values, variant }: ParsedRow): MappedProduct | undefined {
    if (values === undefined) return undefined;
    const { problems } = this.#context;
    const location = new SourceLocation(this.source.name, line);
    const earlier = this.#firstLines.note(values.external_id, location);
    if (earlier !== undefined)
      problems.add(location.fault(`line ${earlier} already has product ${JSON.stringify(values.external_id)}`));
    const { inherit } = this.map;
    return new MappedProduct(line, values, variant, { file: this.source.name, problems, inherit });
  }

  async #finish(product: MappedProduct): Promise<ProductRecord> {
    const joined = this.map.variantsFile ? await this.#context.variantsOf(product.id) : [];
    for (const { variant, file } of joined) product.add(variant, JSON.stringify(variant).length, file);
    const absent = this.#absent as Absent;
    return product.finish(joined[0] ? absent.joined(joined[0].lacks) : absent.own);
  }

  #warn(): void {
    this.#table.warn();
    if (this.#skipped > 0)
      this.#context.warn(`${this.#skipped} rows are neither products nor variants by the map, and were not read`);
  }

  /** The members that the file does not provide. */
  #toAbsent(columns: MapColumns): Absent {
    const { map } = this;
    const lacked: ReadonlySet<keyof VariantValues> = new Set(lackedBy(this.#variants, columns, this.#context));
    const own = new Set(lacked);
    const { form } = map.rows;
    if (form !== 'single' && form !== 'children' && !(map.variant && hasOptions(map.variant, columns))) {
      own.add('options');
      if (!this.#variants.hasTitle(columns)) own.add('title');
    }
    const product = new Set(this.#products.rules.lackedBy([columns]));
    const base = { product, weightUnit: false, optionValues: 3 } as const;
    const added = map.variantsFile?.members;
    const known = new Map<string, AbsentFromProducts>();
    return {
      own: { ...base, variant: own, ...(map.variant === undefined && { variants: true as const }) },
      joined(lacks) {
        const key = lacks.join();
        const found = known.get(key);
        if (found) return found;
        const isOwn = (member: keyof VariantValues): boolean =>
          map.inherit.has(member as VariantMember) ||
          added?.get(member === 'compare_at_price' ? 'price' : (member as VariantMember))?.add !== undefined;
        const absent = lacks.filter((member) => !isOwn(member) || lacked.has(member));
        const sums = [...lacked].filter((member) => added?.get(member as VariantMember)?.add !== undefined);
        const made = { ...base, variant: new Set([...absent, ...sums]) };
        known.set(key, made);
        return made;
      },
    };
  }
}

interface ParsedRow {
  readonly line: number;
  /** Whether the row is that of a product whose id could be read. */
  readonly product: boolean;
  readonly values: ProductValues | undefined;
  readonly variant: UnpositionedVariant | undefined;
  /** The variants of the product, where its row lists them. */
  readonly listed?: readonly ListedVariant[];
}

interface Waiting {
  readonly buffer: SpillBuffer<ParsedRow>;
  readonly products: readonly { readonly index: number; readonly name: string | null }[];
  readonly variants: Map<string, number[]>;
}

interface ListedVariant {
  readonly name: string;
  readonly options: UnpositionedVariant['options'];
}

/** `sku=A,color=Red|sku=B,color=Blue`, with labels `color=Colour`. Values may hold commas, but no `|`. */
function toListed(row: MappedRow, { column, labels, names }: Rows<'children'>): readonly ListedVariant[] | undefined {
  const list = row.word(column);
  if (list === null) return undefined;
  const toPairs = (part: string): (readonly [string, string])[] =>
    part.split(/,(?=[\w-]+=)/).flatMap((pair) => {
      const at = pair.indexOf('=');
      return at === -1 ? [] : [[pair.slice(0, at).trim(), pair.slice(at + 1).trim()] as const];
    });
  const label = new Map(toPairs((labels === undefined ? null : row.word(labels)) ?? ''));
  return list.split('|').flatMap((part) => {
    const pairs = toPairs(part);
    const name = pairs.find(([key]) => names.some((one) => one.toLowerCase() === key.toLowerCase()))?.[1];
    if (name === undefined) return [];
    const options = pairs
      .filter(([key, value]) => value !== '' && !names.some((one) => one.toLowerCase() === key.toLowerCase()))
      .map(([key, value]) => ({ name: label.get(key) ?? key, value }));
    return [{ name, options }];
  });
}

const hasOptions = ({ options }: VariantRules, columns: MapColumns): boolean =>
  options !== undefined && columns.found.some((key) => isOptionColumn(options, key));

/**
 * The members of variants that a file does not provide. Prices that may be those of a sale are kept, with a warning.
 */
function lackedBy(
  { rules, missingSale }: MappedVariants,
  columns: MapColumns,
  { warn }: ReadContext,
): JoinedVariantRecord['lacks'] {
  const sale = missingSale(columns);
  if (sale) warn(`without a column ${JSON.stringify(sale[0])} the prices of variants that are stored were kept`);
  return rules.lackedBy([columns]);
}

interface Absent {
  readonly own: AbsentFromProducts;
  /** For products with variants from another file, which lack something themselves. */
  joined(lacks: readonly (keyof VariantValues)[]): AbsentFromProducts;
}
