import type { FileSample, Format, ReadContext } from './format';
import { SourceLocation } from '../values/import-error';
import type { CatalogRecord, ProductValues, VariantOfRow } from './record';
import { absentMembers } from '../source/json-elements';
import type { SourceFile } from '../source/source-file';
import type { VariantOption } from '../../catalog/model';
import { decodeEntities } from '../values/html-entities';
import { checkIndexedText } from '../values/text';
import { positionBounds, safeBounds } from '../values/numbers';
import { FirstLines } from './first-lines';
import { FileMembers, readJsonObjects } from './json-file';
import type { JsonMembers } from './json-members';
import { constant, firstOf, explain, from, computed, ObjectRules, optional, toAbsent } from './rules';
import type { Sales } from './sales';
import { titleOf } from './shopify-product';
import { WooProducts, type Category, type ProductRow } from './woocommerce-assembly';
import { gmt, toUtc } from './woocommerce-values';
import { withoutVariables } from './woocommerce-row';

const recognisedBy = ['id', 'name', 'type', 'status', 'regular_price'];

const created = computed(['date_created_gmt'], (members: JsonMembers) => gmt(members, 'date_created_gmt'));
const updated = computed(['date_modified_gmt'], (members: JsonMembers) => gmt(members, 'date_modified_gmt'));

interface AroundProduct {
  readonly isPublished: boolean;
  readonly categories: readonly Category[];
}

/** The item for sale: a variation, or a product without variations. */
interface AroundVariant {
  readonly options: readonly VariantOption[];
  readonly prices: ReturnType<Sales['pricesOf']>;
}

const productRules = new ObjectRules<JsonMembers, Omit<ProductValues, 'published'>, AroundProduct>('products', {
  external_id: from('id'),
  title: computed(['name'], (members) => decodeEntities(members.requiredText('name'))),
  handle: from('slug'),
  status: computed(['status'], (members, { isPublished }: AroundProduct) =>
    isPublished || !members.provides('status') ? 'ACTIVE' : 'DRAFT',
  ),
  vendor: optional(computed(['brands'], (members) => namesOf(members, 'brands')[0] ?? null)),
  product_type: computed(['categories'], (_, { categories }: AroundProduct) => categories[0]?.title ?? null),
  tags: computed(['tags'], (members) => [...new Set(namesOf(members, 'tags'))]),
  description_html: from('description'),
  seo_title: optional(computed(['meta_data'], (members) => metaOf(members, ['_yoast_wpseo_title', 'rank_math_title']))),
  seo_description: optional(
    computed(['meta_data'], (members) => metaOf(members, ['_yoast_wpseo_metadesc', 'rank_math_description'])),
  ),
  image_url: computed(['images'], (members) => members.objects('images')[0]?.text('src') ?? null, 'the first'),
  published_at: computed(['status'], () => null),
  created_at: created,
  updated_at: updated,
});

/** The API has no weight unit: it is a setting of the shop. */
const variantRules = new ObjectRules<JsonMembers, VariantOfRow, AroundVariant>('variants', {
  external_id: from('id'),
  title: computed(['attributes'], (members, { options }: AroundVariant) =>
    options.length > 0 ? titleOf(options) : decodeEntities(members.text('name') ?? ''),
  ),
  sku: from('sku'),
  barcode: optional(from('global_unique_id')),
  price: computed(['sale_price'], (_, { prices }: AroundVariant) => prices.price),
  compare_at_price: computed(
    ['sale_price'],
    (_, { prices }: AroundVariant) => prices.full,
    'the regular price, during a sale',
  ),
  inventory_quantity: computed(['stock_quantity'], (members) => {
    const isTracked = !sharesStock(members) && !members.equals('manage_stock', false);
    return isTracked ? members.wholeNumber('stock_quantity', safeBounds) : null;
  }),
  weight: from('weight'),
  position: constant(() => null),
  image_url: optional(firstOf(['image', 'images'], (members) => members.text('image.src'))),
  options: computed(['attributes'], (_, { options }: AroundVariant) => options),
  created_at: created,
  updated_at: updated,
});

/**
 * Products as WooCommerce's REST API returns them. Variations, which the API lists separately, may be in the same file
 * or within products.
 */
export const woocommerceProductsJson: Format<'woocommerce-products-json'> = {
  name: 'woocommerce-products-json',
  description:
    "the JSON of WooCommerce's REST API (/wc/v3/products, and their variations in the same file): an array, or one object a line, with the members id, name, type, status and regular_price",
  kinds: ['product', 'collection'],
  get explains() {
    return { expected, others, wrappers: [] };
  },
  absentFrom: ({ members }: FileSample) => absentMembers(members, [], recognisedBy),
  read,
};

const { others, alternatives, ...explained } = explain([productRules, variantRules], {
  regular_price: 'variants.price; variants.compare_at_price during a sale',
  type: 'which objects are variations',
  variations: 'variants',
  date_on_sale_from_gmt: 'from when sale_price is the price',
  date_on_sale_to_gmt: 'until when sale_price is the price',
  parent_id: 'which product a variation is of',
  menu_order: 'variants.position',
  _links: 'which product a variation is of',
});
const expected = {
  ...explained.expected,
  manage_stock: 'variants.inventory_quantity: null where it is false',
  on_sale: 'whether sale_price is the price',
};

async function* read(source: SourceFile, context: ReadContext): AsyncGenerator<CatalogRecord, void, void> {
  const file = new FileMembers(expected, others, alternatives);
  const products = new WooProducts(source.name, context);
  const firstLines = new FirstLines();
  let deleted = 0;
  const isNew = (members: JsonMembers, externalId: string, line: number): boolean => {
    const earlier = externalId === '' ? undefined : firstLines.note(externalId, new SourceLocation(source.name, line));
    if (earlier !== undefined) members.report('id', (at) => at.fault(`already appears in line ${earlier}`));
    return earlier === undefined;
  };
  const addVariation = async (members: JsonMembers, line: number, parent: string): Promise<void> => {
    const variant = toVariant(members, products.sales);
    const position = members.wholeNumber('menu_order', positionBounds);
    if (isNew(members, variant.external_id ?? '', line))
      await products.addVariation({ line, ...variant }, `id:${parent}`, position, sharesStock(members));
  };
  try {
    for await (const { line, members } of readJsonObjects(source, [], context)) {
      file.note(members);
      if (members.text('status') === 'trash') deleted += 1;
      else if (isVariation(members)) await addVariation(members, line, toParentId(members));
      else {
        const row = toProductRow(members, line, products.sales);
        const id = row.values.external_id;
        if (!isNew(members, id, line)) continue;
        await products.addProduct(row);
        for (const inner of innerVariations(members)) await addVariation(inner, line, id);
      }
    }
    if (deleted > 0) context.warn(`${deleted} products in the trash were not read`);
    yield* products.records(toAbsent(productRules, variantRules, file));
  } finally {
    await products.close();
  }
  file.report(context);
}

const isVariation = (members: JsonMembers): boolean =>
  members.provides('type')
    ? /variation$/.test(members.text('type') ?? '')
    : !members.provides('name') && (members.provides('parent_id') || members.provides('_links'));

/** Older versions reference the product of a variation only in a link. */
function toParentId(members: JsonMembers): string {
  const id = members.has('parent_id') ? members.id('parent_id') : '0';
  if (id !== '0') return id;
  const [up] = members.objects('_links.up');
  return /\/(\d{1,30})\/?$/.exec(up?.text('href') ?? '')?.[1] ?? '0';
}

const innerVariations = (members: JsonMembers): readonly JsonMembers[] =>
  members.hasObjects('variations') ? members.objects('variations') : [];

/** Whether a variation shares the stock of its product. */
const sharesStock = (members: JsonMembers): boolean => members.equals('manage_stock', 'parent');

function toProductRow(members: JsonMembers, line: number, sales: Sales): ProductRow {
  const type = members.text('type') ?? 'simple';
  const around = {
    isPublished: members.text('status') === 'publish',
    categories: members.objects('categories').map(toCategory),
  };
  return {
    line,
    kind: type.startsWith('variable') ? 'variable' : type === 'grouped' ? 'grouped' : 'single',
    categories: around.categories,
    ...(members.provides('variations') && { variations: members.countItems('variations') }),
    values: { ...productRules.read(members, around), published: around.isPublished },
    variant: { ...toVariant(members, sales), title: 'Default Title', options: [] },
    references: [`id:${members.id('id')}`],
  };
}

function optionsOf(members: JsonMembers): readonly VariantOption[] {
  return members.objects('attributes').flatMap((attribute) => {
    // Those of a product have all options of its variations instead.
    const value = attribute.provides('options') ? null : attribute.text('option');
    const name = attribute.text('name');
    return name === null || value === null ? [] : [{ name: decodeEntities(name), value: decodeEntities(value) }];
  });
}

const toVariant = (members: JsonMembers, sales: Sales): VariantOfRow =>
  variantRules.read(members, {
    options: optionsOf(members),
    prices: sales.pricesOf(
      members.decimal('regular_price'),
      members.equals('on_sale', false) ? null : members.decimal('sale_price'),
      members.parsed('date_on_sale_from_gmt', (text, at) => sales.hasBegun(toUtc(text), at)),
      members.parsed('date_on_sale_to_gmt', (text, at) => sales.hasEnded(toUtc(text), at)),
    ),
  });

const namesOf = (members: JsonMembers, name: string): readonly string[] =>
  members.objects(name).flatMap((term) => {
    const text = term.parsed('name', checkIndexedText);
    return text === null ? [] : [decodeEntities(text)];
  });

const toCategory = (term: JsonMembers): Category => ({
  id: term.id('id'),
  title: decodeEntities(term.parsed('name', checkIndexedText) ?? ''),
  handle: term.text('slug'),
});

/** SEO texts are plugin values, in a list of keys and values. */
function metaOf(members: JsonMembers, keys: readonly string[]): string | null {
  const all = members.objects('meta_data');
  const found = keys.flatMap((key) => all.filter((meta) => meta.equals('key', key)));
  return found.map((meta) => withoutVariables(meta.text('value'))).find((value) => value !== null) ?? null;
}
