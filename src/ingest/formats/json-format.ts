import type { FormatName } from './descriptions';
import { absentMembers } from '../source/json-elements';
import type { SourceFile } from '../source/source-file';
import type { FileSample, Format, JsonExplained, ReadContext } from './format';
import { FileMembers, readJsonObjects, type ObjectWithParts } from './json-file';

import type { JsonMembers } from './json-members';
import type { CatalogRecord, CollectionValues, OrderValues, ProductValues, RecordKind, VariantValues } from './record';
import { explain, ObjectRules, type Explained, type Rules } from './rules';

interface JsonFormatOptions extends Pick<JsonExplained, 'prefixOf'> {
  readonly name: FormatName;
  /** Members of an outer object that contain the objects. */
  readonly wrappers?: readonly string[];
  /** Members that the objects must have, or what the beginning of the file must look like. */
  readonly recognizedBy: readonly string[] | ((sample: FileSample) => boolean);
  /** How to find the objects if they are neither in an array nor one per line. */
  readonly objects?: (source: SourceFile, context: ReadContext) => AsyncIterable<ObjectWithParts>;
  /** How members without a column are handled. */
  readonly also?: Explained['others'];
  /** The same for members that are needed to interpret others: they are reported when a file lacks them. */
  readonly needed?: Explained['others'];
  /** Paths of members that are read only to count addresses (D25). */
  readonly drops?: readonly string[];
  /** Objects to skip, such as drafts and deleted ones, and the message about them. */
  readonly skips?: { isSkipped(members: JsonMembers): boolean; readonly words: string };
}

type RecordOf<Kind extends RecordKind> = Omit<Extract<CatalogRecord, { kind: Kind }>, 'kind' | 'line' | 'rows'>;

/** Makes the records of the objects of one file. */
type ToRecords = (
  objects: AsyncIterable<ObjectWithParts>,
  members: FileMembers,
  context: ReadContext,
  file: string,
) => AsyncIterable<CatalogRecord>;

/** One record for each object. */
const each = <Kind extends RecordKind>(
  kind: Kind,
  toRecord: (object: ObjectWithParts, members: FileMembers, context: ReadContext) => RecordOf<Kind>,
): ToRecords =>
  async function* (objects, members, context) {
    for await (const object of objects) {
      const rows = object.parts.map(({ line }) => line);
      yield { kind, line: object.line, rows, ...toRecord(object, members, context) } as CatalogRecord;
    }
  };

export function jsonFormat(
  { name, wrappers = [], recognizedBy, prefixOf, also, needed, objects, drops = [], skips }: JsonFormatOptions,
  kinds: readonly RecordKind[],
  rules: Parameters<typeof explain>[0],
  toRecords: ToRecords,
): Format<FormatName> {
  const dropped = drops
    .filter((path) => !path.includes('.'))
    .map((path): [string, string] => [path, 'removed and counted']);
  const { others, ...explained } = explain(rules, { ...Object.fromEntries(dropped), ...also });
  const expected = { ...explained.expected, ...needed };
  async function* read(source: SourceFile, context: ReadContext, file: FileMembers) {
    let skipped = 0;
    for await (const object of objects?.(source, context) ?? readJsonObjects(source, wrappers, context)) {
      const { members } = object;
      file.note(members);
      for (const path of drops) if (members.has(path)) context.dropped.emails += 1;
      if (skips?.isSkipped(members) === true) skipped += 1;
      else yield object;
    }
    if (skipped > 0) context.warn(`${skips?.words}: ${skipped}`);
  }
  return {
    name,
    kinds,
    explains: { expected, others, wrappers, ...(prefixOf && { prefixOf }) },
    absentFrom: (sample) =>
      typeof recognizedBy === 'object'
        ? absentMembers(sample.members, wrappers, recognizedBy)
        : recognizedBy(sample)
          ? []
          : [`id such as gid://shopify/${kinds.join().replace(/^./, (first) => first.toUpperCase())}/123`],
    async *read(source, context) {
      const file = new FileMembers({ ...expected, ...others }, [...explained.needed, ...Object.keys(needed ?? {})]);
      yield* toRecords(read(source, context, file), file, context, source.name);
      file.report(context);
    },
  };
}

interface CollectionFormatOptions extends JsonFormatOptions {
  /** Without `published`: it differs between a platform's channels. */
  readonly collection: Rules<JsonMembers, CollectionValues>;
  /** The ids of its products, in its order; undefined where the query did not select them. */
  readonly products: (collection: ObjectWithParts) => readonly string[] | undefined;
}

/** The format of files of collections. */
export function collectionFormat(options: CollectionFormatOptions): Format<FormatName> {
  const rules = new ObjectRules<JsonMembers, CollectionValues>('collections', options.collection);
  const toRecords = each('collection', (object, file) => ({
    values: { ...rules.read(object.members, undefined), published: true },
    absent: file.absentSet(rules.absentFrom([object.members])),
    products: options.products(object),
  }));
  return jsonFormat(options, ['collection'], [rules], toRecords);
}

interface OrderFormatOptions extends JsonFormatOptions {
  /** Around an order: its items that are not inside it. */
  readonly order: Rules<JsonMembers, OrderValues, readonly JsonMembers[]>;
  /** The prefix for members of items that are not inside their order. */
  readonly itemPrefix?: string;
}

/** The format of files of orders. */
export function orderFormat(options: OrderFormatOptions): Format<FormatName> {
  const { order, itemPrefix } = options;
  const rules = new ObjectRules<JsonMembers, OrderValues, readonly JsonMembers[]>('orders', order);
  const toRecords = each('order', ({ members, parts }, file) => {
    const items = parts.map((part) => part.members);
    if (itemPrefix !== undefined) for (const item of items) file.note(item, itemPrefix);
    return { values: rules.read(members, items), absent: file.absentSet(rules.absentFrom([members], items)) };
  });
  return jsonFormat(options, ['order'], [rules], toRecords);
}

/** Product context of a variant's rules. */
export interface AroundVariant<Shared> {
  /** The index among the variants of its product, counted from 0. */
  readonly index: number;
  readonly shared: Shared;
}

interface ProductFormatOptions<Shared> extends JsonFormatOptions {
  readonly product: Rules<JsonMembers, ProductValues, Shared>;
  readonly variant: Rules<JsonMembers, VariantValues, AroundVariant<Shared>>;
  /** The variants of a product; undefined where the object has none, so that the stored ones stay. */
  readonly variants: (product: ObjectWithParts) => readonly JsonMembers[] | undefined;
  /** Values shared by the rules, read once per product. */
  readonly shared: (product: ObjectWithParts, context: ReadContext) => Shared;
  /** Whether the file has weights only in grams: a stored weight that is equal in another unit is then kept. */
  readonly areWeightsInGrams?: (variants: readonly JsonMembers[]) => boolean;
}

/** The format of files of products with their variants. */
export function productFormat<Shared>(options: ProductFormatOptions<Shared>): Format<FormatName> {
  const { product, variant, variants: variantsOf, shared: sharedOf, areWeightsInGrams } = options;
  const productRules = new ObjectRules<JsonMembers, Omit<ProductValues, 'published'>, Shared>('products', product);
  const variantRules = new ObjectRules<JsonMembers, VariantValues, AroundVariant<Shared>>(
    'variants',
    variant,
    'variants.',
  );
  const toRecords = each('product', (object, file, context) => {
    const { members } = object;
    const variants = variantsOf(object);
    for (const one of variants ?? []) file.note(one, 'variants.');
    const shared = sharedOf(object, context);
    return {
      values: { ...productRules.read(members, shared), published: null },
      variants: (variants ?? []).map((one, index) => variantRules.read(one, { index, shared })),
      absent: file.absentFromProduct(
        [...productRules.absentFrom([members], shared), 'positions'],
        variants && variantRules.absentFrom(variants, { index: 0, shared }),
        variants !== undefined && areWeightsInGrams?.(variants) === true,
      ),
    };
  });
  return jsonFormat(options, ['product'], [productRules, variantRules], toRecords);
}
