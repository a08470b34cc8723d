import { FirstLines } from '../formats/first-lines';
import type { FileSample, Format, ReadContext } from '../format';
import { ImportError, Place } from '../import-error';
import type {
  AbsentFromProducts,
  JoinedVariantRecord,
  ProductRecord,
  ProductValues,
  UnplacedVariant,
  VariantValues,
} from '../record';
import { listFirst, quotedName } from '../shown-names';
import { readCsvRows } from '../source/csv-rows';
import { HeldValues } from '../source/held-values';
import type { SourceFile } from '../source/source-file';
import { productMembers, variantMembers, type ColumnReference, type ImportMap, type OptionRule, type RowRule, type ValueRule, type VariantMember, type VariantRules, type VariantsFile } from './import-map'; // prettier-ignore
import { columnsOfRule, hasRule, lacking, withDates } from './map-columns';
import { MappedProduct } from './mapped-product';
import {
  keyOf,
  MappedRow,
  openColumns,
  optionColumns,
  toProductValues,
  toVariant,
  type MapColumns,
} from './mapped-row';

type Rows<Form extends RowRule['form']> = Extract<RowRule, { form: Form }>;

/** The format of the files that a map describes. */
export class MapFormat<Name extends string = string> implements Format<Name> {
  readonly kinds = ['product'] as const;

  constructor(
    readonly name: Name,
    readonly description: string,
    private readonly open: () => ImportMap,
  ) {}

  get map(): ImportMap {
    return this.open();
  }

  get delimiter(): string | undefined {
    return this.map.delimiter;
  }

  get companion(): Format['companion'] {
    const { variantsFile } = this.map;
    return variantsFile && { format: variantsName(this.name), title: variantsFile.title, isFirst: true };
  }

  recognises({ header }: FileSample): boolean {
    return lacking(this.map.recognisedBy, header).length === 0;
  }

  /** The columns that an unrecognised file lacks. */
  lacks({ header }: FileSample): readonly string[] {
    return lacking(this.map.recognisedBy, header);
  }

  read(source: SourceFile, context: ReadContext): AsyncGenerator<ProductRecord, void, void> {
    const reader = new ProductsReader(source, this.map, context);
    const { form } = this.map.rows;
    return form === 'parent' || form === 'children' ? reader.readHeld() : reader.readInOrder();
  }

  readonly explains = {
    column: (column: string): string => membersOf(column, this.map.product, this.map.variant, this.map.rows),
  };
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

  recognises({ header }: FileSample): boolean {
    const { variantsFile } = this.products.map;
    return variantsFile !== undefined && lacking(variantsFile.recognisedBy, header).length === 0;
  }

  async *read(source: SourceFile, given: ReadContext): AsyncGenerator<JoinedVariantRecord, void, void> {
    const { map } = this.products;
    const rules = map.variantsFile;
    if (rules === undefined) return;
    const context = withDates(given, map);
    const numbers = source.numbersWith(map.decimal);
    let columns: MapColumns | undefined;
    let lacks: JoinedVariantRecord['lacks'] = [];
    for await (const row of readCsvRows(source)) {
      if (columns === undefined) {
        columns = openColumns(
          source.name,
          row,
          [rules.product, ...columnsOfVariant(rules, headerOf(row.cells))],
          context,
        );
        lacks = lackedBy(rules, columns, new Place(source.name, row.line));
        continue;
      }
      if (row.cells.every((cell) => cell.trim() === '')) continue;
      const mapped = new MappedRow(columns.row({ ...row, numbers }), context);
      const productId = mapped.word(rules.product);
      if (productId === null) {
        mapped.cells.report(mapped.at(rules.product).refuse('', 'the id of the product on every row'));
        continue;
      }
      yield {
        kind: 'variant',
        line: row.line,
        file: source.name,
        productId,
        variant: toVariant(mapped, rules, mapped, context),
        lacks,
      };
    }
  }

  readonly explains = {
    column: (column: string): string => {
      const { variantsFile } = this.products.map;
      if (variantsFile === undefined) return '';
      if (keyOf(variantsFile.product) === column) return 'which product a variant is of';
      return membersOf(column, new Map(), variantsFile, { form: 'single' });
    },
  };
}

const headerOf = (cells: readonly string[]): ReadonlySet<string> =>
  new Set(cells.map((cell) => cell.trim().toLowerCase()));

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

const isOptionKey = (options: OptionRule, key: string): boolean =>
  optionColumns(options, new Set(key.split('\u0000').map((name) => name.toLowerCase()))).some(
    (one) => keyOf(one) === key,
  );

/** What becomes of a column, for people. */
function membersOf(
  column: string,
  product: ImportMap['product'],
  variant: VariantRules | undefined,
  rows: RowRule,
): string {
  const isOf = (rule: ValueRule): boolean => columnsOfRule(rule).some((one) => keyOf(one) === column);
  const found = [
    ...[...product].filter(([, rule]) => isOf(rule)).map(([member]) => member),
    ...[...(variant?.members ?? [])].filter(([, rule]) => isOf(rule)).map(([member]) => `variants.${member}`),
    ...(columnsOfRows(rows).some((one) => keyOf(one) === column) ? ['which rows belong together'] : []),
  ];
  if (variant?.options && isOptionKey(variant.options, column)) found.push('variants.options');
  return found.length === 0 ? 'which rows are read' : found.join(', ');
}

/** Reads one file of products as its map describes. */
class ProductsReader {
  readonly #context: ReadContext;
  readonly #firstLines = new FirstLines();
  #columns: MapColumns | undefined;
  #absent: Absent | undefined;
  #skipped = 0;

  constructor(
    private readonly source: SourceFile,
    private readonly map: ImportMap,
    context: ReadContext,
  ) {
    this.#context = withDates(context, map);
  }

  async *readInOrder(): AsyncGenerator<ProductRecord, void, void> {
    const rows = this.map.rows as Rows<'single' | 'below' | 'same'>;
    let product: MappedProduct | undefined;
    let first: MappedRow | undefined;
    let group: string | undefined;
    for await (const row of this.#rows()) {
      if (rows.form === 'below' && !row.holds(rows.productWhen)) {
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
      [first, group] = [row, key ?? undefined];
      const held = this.#toHeld(row, true);
      product = this.#startHeld(held);
      // Not read from the row again: its problems were reported.
      const isVariant = rows.form === 'same' || (rows.form === 'below' && rows.firstIsVariant);
      if (isVariant && held.variant) product?.add(held.variant, sizeOf(row));
    }
    if (product) yield await this.#finish(product);
    this.#warn();
  }

  /** Rows whose product is known only at the end of the file. */
  async *readHeld(): AsyncGenerator<ProductRecord, void, void> {
    const rows = this.map.rows as Rows<'parent' | 'children'>;
    const held = new HeldValues<HeldRow>();
    const products: { readonly index: number; readonly name: string | null }[] = [];
    const variants = new Map<string, number[]>();
    const listed = new Map<string, readonly ListedVariant[]>();
    const all: Waiting = { held, products, variants };
    try {
      for await (const row of this.#rows()) {
        const parent = rows.form === 'parent' ? row.word(rows.column) : null;
        const index = await held.add(this.#toHeld(row, parent === null));
        const name = row.word(rows.names);
        if (parent !== null) {
          const others = variants.get(parent);
          if (others) others.push(index);
          else variants.set(parent, [index]);
        } else products.push({ index, name });
        if (rows.form === 'children' && name !== null) {
          if (variants.has(name))
            row.cells.report(row.at(rows.names).fault(`${JSON.stringify(name)} already appears in an earlier line`));
          else variants.set(name, [index]);
          const list = row.word(rows.column);
          if (list !== null)
            listed.set(name, toListed(list, rows.labels === undefined ? null : row.word(rows.labels), rows.names));
        }
      }
      if (this.#columns === undefined) return;
      if (rows.form === 'parent') yield* this.#joinParents(all);
      else yield* this.#joinChildren(all, listed);
      this.#warn();
    } finally {
      await held.close();
    }
  }

  async *#joinParents({ held, products, variants }: Waiting): AsyncGenerator<ProductRecord, void, void> {
    for (const { index, name } of products) {
      const product = this.#startHeld(await held.get(index));
      const [byName, byId] = [
        name === null ? [] : (variants.get(name) ?? []),
        product && name !== product.id ? (variants.get(product.id) ?? []) : [],
      ];
      if (name !== null) variants.delete(name);
      if (product) variants.delete(product.id);
      for (const at of [...byName, ...byId]) {
        const { variant } = await held.get(at);
        if (variant) product?.add(variant, held.sizeOf(at));
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
    { held, products, variants }: Waiting,
    listed: ReadonlyMap<string, readonly ListedVariant[]>,
  ): AsyncGenerator<ProductRecord, void, void> {
    const children = new Set([...listed.values()].flatMap((list) => list.map(({ name }) => name)));
    const missing: string[] = [];
    for (const { index, name } of products) {
      if (name !== null && children.has(name)) continue;
      const product = this.#startHeld(await held.get(index));
      if (product === undefined) continue;
      const list = name === null ? [] : (listed.get(name) ?? []);
      for (const child of list) {
        const at = variants.get(child.name)?.[0];
        const found = at === undefined ? undefined : (await held.get(at)).variant;
        if (at === undefined || !found) missing.push(child.name);
        else product.add({ ...found, title: null, options: child.options }, held.sizeOf(at));
      }
      yield await this.#finish(product);
    }
    if (missing.length === 0) return;
    throw new ImportError(
      `${this.source.name}: expected the rows of all variants that products list, got none of ${missing.length} (${listFirst(missing, 3, quotedName)}); export simple products with the configurable ones`,
    );
  }

  async *#rows(): AsyncGenerator<MappedRow, void, void> {
    const numbers = this.source.numbersWith(this.map.decimal);
    for await (const row of readCsvRows(this.source)) {
      if (this.#columns === undefined) {
        this.#columns = this.#openTable(row.cells, row);
        continue;
      }
      if (row.cells.every((cell) => cell.trim() === '')) continue;
      const mapped = new MappedRow(this.#columns.row({ ...row, numbers }), this.#context);
      if (!mapped.isSkipped(this.map.skipWhen)) yield mapped;
    }
  }

  #openTable(cells: readonly string[], row: Parameters<typeof openColumns>[1]): MapColumns {
    const { map } = this;
    const header = headerOf(cells);
    const columns = openColumns(
      this.source.name,
      row,
      [
        ...map.skipWhen.map(({ column }) => column),
        ...columnsOfRows(map.rows),
        ...[...map.product.values()].flatMap(columnsOfRule),
        ...(map.variant ? columnsOfVariant(map.variant, header) : []),
      ],
      this.#context,
    );
    this.#checkOptions(columns, header, new Place(this.source.name, row.line));
    this.#absent = toAbsent(map, columns, this.#context);
    return columns;
  }

  /** Without them, and without ids, all variants of a product would be the same variant. */
  #checkOptions(columns: MapColumns, header: ReadonlySet<string>, place: Place): void {
    const { variant, rows } = this.map;
    const id = variant?.members.get('external_id')?.column;
    if (!variant?.options || rows.form === 'children' || rows.form === 'single' || (id && columns.has(keyOf(id))))
      return;
    const needed = optionColumns(variant.options, header);
    if (needed.some((column) => columns.has(keyOf(column)))) return;
    throw place.fault(
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
        new Place(this.source.name, row.line).fault('is the row of a variant, but no row of a product precedes it'),
      );
    } else {
      this.#addVariant(row, product, first);
    }
  }

  #addVariant(row: MappedRow, product: MappedProduct | undefined, first: MappedRow | undefined): void {
    const { variant } = this.map;
    if (!variant || !product || !first) return;
    product.add(toVariant(row, variant, first, this.#context), sizeOf(row));
  }

  #toHeld(row: MappedRow, isProduct: boolean): HeldRow {
    const { map } = this;
    const variant =
      map.variant && toVariant(row, isProduct ? this.#ownRules(map.variant) : map.variant, row, this.#context);
    if (!isProduct) return { line: row.line, product: false, values: undefined, variant };
    const rule = map.product.get('external_id');
    const id = row.indexed(rule);
    if (id === null) {
      if (row.value(rule) === null)
        row.cells.report(row.at(rule?.column).refuse('', 'an id on the row of each product'));
      return { line: row.line, product: false, values: undefined, variant };
    }
    return { line: row.line, product: true, values: toProductValues(row, map.product, this.#context), variant };
  }

  /** The row of a product whose variants are other rows has no options. */
  #ownRules(rules: VariantRules): VariantRules {
    const { rows } = this.map;
    const isVariant = rows.form === 'single' || rows.form === 'same' || (rows.form === 'below' && rows.firstIsVariant);
    return isVariant ? rules : { ...rules, options: undefined };
  }

  /** Undefined means that a problem was reported. */
  #startHeld({ line, values, variant }: HeldRow): MappedProduct | undefined {
    if (values === undefined) return undefined;
    const { problems } = this.#context;
    const place = new Place(this.source.name, line);
    const earlier = this.#firstLines.note(values.external_id, place);
    if (earlier !== undefined)
      problems.add(place.fault(`line ${earlier} already has product ${JSON.stringify(values.external_id)}`));
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
    for (const warning of this.#columns?.dates.warnings ?? []) this.#context.warn(warning);
    if (this.#skipped > 0)
      this.#context.warn(`${this.#skipped} rows are neither products nor variants by the map, and were not read`);
  }
}

interface HeldRow {
  readonly line: number;
  /** Whether the row is that of a product whose id could be read. */
  readonly product: boolean;
  readonly values: ProductValues | undefined;
  readonly variant: UnplacedVariant | undefined;
}

interface Waiting {
  readonly held: HeldValues<HeldRow>;
  readonly products: readonly { readonly index: number; readonly name: string | null }[];
  readonly variants: Map<string, number[]>;
}

interface ListedVariant {
  readonly name: string;
  readonly options: UnplacedVariant['options'];
}

const sizeOf = (row: MappedRow): number => row.cells.row.cells.reduce((sum, cell) => sum + cell.length, 0);

/** `sku=A,color=Red|sku=B,color=Blue`, with labels `color=Colour`. Values may hold commas, but no `|`. */
function toListed(list: string, labels: string | null, names: ColumnReference): readonly ListedVariant[] {
  const toPairs = (part: string): (readonly [string, string])[] =>
    part.split(/,(?=[\w-]+=)/).flatMap((pair) => {
      const at = pair.indexOf('=');
      return at === -1 ? [] : [[pair.slice(0, at).trim(), pair.slice(at + 1).trim()] as const];
    });
  const label = new Map(toPairs(labels ?? ''));
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
  options !== undefined && columns.found.some((key) => isOptionKey(options, key));

/** The members that a file of variants does not provide. */
function lackedBy(rules: VariantsFile, columns: MapColumns, place: Place): readonly (keyof VariantValues)[] {
  const { members, options } = rules;
  if (options && !hasOptions(rules, columns)) {
    throw place.fault('expected the columns of the options, by which the variants of a product are told apart');
  }
  return variantMembers.filter((member) => isKept(member) && !hasRule(members.get(member), columns));
}

interface Absent {
  readonly own: AbsentFromProducts;
  /** For products with variants from another file, which lack something themselves. */
  joined(lacks: readonly (keyof VariantValues)[]): AbsentFromProducts;
}

/** The members that the file does not provide. */
function toAbsent(map: ImportMap, columns: MapColumns, context: ReadContext): Absent {
  const rules = map.variant?.members;
  const price = rules?.get('price');
  const hasPrice = hasRule(price, columns);
  const lacksSale = hasPrice && price?.sale !== undefined && !columns.has(keyOf(price.sale));
  if (lacksSale) {
    context.warn(
      `without a column ${JSON.stringify(price.sale?.[0])} the prices of variants that are stored were kept`,
    );
  }
  const has = (member: keyof VariantValues): boolean => {
    if (member === 'price') return hasPrice && !lacksSale;
    const isPresent = hasRule(rules?.get(member as VariantMember), columns);
    return member === 'compare_at_price'
      ? !lacksSale && (isPresent || (hasPrice && price?.sale !== undefined))
      : isPresent;
  };
  const product = new Set(
    productMembers.filter((member) => isKept(member) && !hasRule(map.product.get(member), columns)),
  );
  const own = new Set<keyof VariantValues>(variantMembers.filter((member) => isKept(member) && !has(member)));
  if (
    map.rows.form !== 'single' &&
    map.rows.form !== 'children' &&
    !(map.variant && hasOptions(map.variant, columns))
  ) {
    own.add('options');
    if (!has('title')) own.add('title');
  }
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
      const absent = lacks.filter((member) => !(isOwn(member) && has(member)));
      const sums = variantMembers.filter((member) => added?.get(member)?.add !== undefined && !has(member));
      const made = { ...base, variant: new Set([...absent, ...sums]) };
      known.set(key, made);
      return made;
    },
  };
}

/** Ids, titles, positions and timestamps are generated where a file lacks them. */
const isKept = (member: string): boolean => !made.has(member);
const made = new Set(['external_id', 'title', 'position', 'created_at', 'updated_at']);
