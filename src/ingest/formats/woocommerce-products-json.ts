import type { FileSample, Format, JsonExplained, ReadContext } from '../format';
import { Place } from '../import-error';
import type { AbsentFromProducts, CatalogRecord, ProductValues, VariantValues } from '../record';
import { haveMembers } from '../source/json-elements';
import type { SourceFile } from '../source/source-file';
import { decodeEntities } from '../values/html-entities';
import { checkIndexedText } from '../values/text';
import { positionBounds, safeBounds } from '../values/whole-number';
import { FirstLines } from './first-lines';
import { FileMembers, readJsonObjects } from './json-file';
import type { JsonMembers } from './json-members';
import { WooProducts } from './woocommerce-assembly';
import { gmt } from './woocommerce-json';
import { withoutVariables, type Category, type ProductRow, type VariationRow } from './woocommerce-row';

/**
 * Products as WooCommerce's REST API returns them. Variations, which the API lists separately, may be in the same file or within products.
 */
export const woocommerceProductsJson: Format<'woocommerce-products-json'> = {
  name: 'woocommerce-products-json',
  description:
    "the JSON of WooCommerce's REST API (/wc/v3/products, and their variations in the same file): an array, or one object a line, with the members id, name, type, status and regular_price",
  kinds: ['product', 'collection'],
  get explains() {
    return { expected, others, wrappers: [] };
  },
  recognises: ({ members }: FileSample) => haveMembers(members, [], ['id', 'name', 'type', 'status', 'regular_price']),
  read,
};

/** Members, and the fields that they become. */
const expected: JsonExplained['expected'] = {
  id: 'external_id',
  name: 'title',
  slug: 'handle',
  type: 'which objects are variations',
  status: 'status, published_at',
  description: 'description_html',
  sku: 'variants.sku',
  regular_price: 'variants.price; variants.compare_at_price during a sale',
  sale_price: 'variants.price',
  manage_stock: 'variants.inventory_quantity: null where it is false',
  stock_quantity: 'variants.inventory_quantity',
  weight: 'variants.weight',
  categories: 'collections, product_type',
  tags: 'tags',
  images: 'image_url: the first',
  attributes: 'variants.options',
  variations: 'variants',
  date_created_gmt: 'created_at',
  date_modified_gmt: 'updated_at',
};

const others: JsonExplained['others'] = {
  on_sale: 'whether sale_price is the price',
  global_unique_id: 'variants.barcode',
  brands: 'vendor',
  meta_data: 'seo_title, seo_description',
  image: 'variants.image_url',
  parent_id: 'which product a variation is of',
  menu_order: 'variants.position',
  _links: 'which product a variation is of',
};

async function* read(source: SourceFile, context: ReadContext): AsyncGenerator<CatalogRecord, void, void> {
  const file = new FileMembers(expected, others);
  const seen = new Set<string>();
  const products = new WooProducts(source.name, context);
  const firstLines = new FirstLines();
  const counts = { deleted: 0, sharedStock: 0 };
  const addVariation = async (members: JsonMembers, line: number, parent: string): Promise<void> => {
    if (sharesStock(members)) counts.sharedStock += 1;
    const row = toVariationRow(members, line);
    if (isNew(members, row.variant.external_id, line)) await products.addVariation(row, parent);
  };
  const isNew = (members: JsonMembers, externalId: string, line: number): boolean => {
    const earlier = externalId === '' ? undefined : firstLines.note(externalId, new Place(source.name, line));
    if (earlier !== undefined) members.report('id', (at) => at.fault(`already appears in line ${earlier}`));
    return earlier === undefined;
  };
  try {
    for await (const { line, members } of readJsonObjects(source, [], context)) {
      file.note(members);
      for (const name of members.memberNames) seen.add(name);
      if (members.filledText('status') === 'trash') counts.deleted += 1;
      else if (isVariation(members)) await addVariation(members, line, `id:${toParentId(members)}`);
      else {
        const row = toProductRow(members, line);
        if (!isNew(members, row.values.external_id, line)) continue;
        await products.addProduct(row, [`id:${row.values.external_id}`]);
        for (const inner of innerVariations(members)) await addVariation(inner, line, `id:${row.values.external_id}`);
      }
    }
    if (counts.deleted > 0) context.warn(`${counts.deleted} products in the trash were not read`);
    if (counts.sharedStock > 0) {
      context.warn(`${counts.sharedStock} variations share the stock of their product, which would count it several times: their stock is null`); // prettier-ignore
    }
    yield* products.records(toAbsent(seen));
  } finally {
    await products.close();
  }
  file.report(context);
}

const isVariation = (members: JsonMembers): boolean =>
  members.names('type')
    ? /variation$/.test(members.filledText('type') ?? '')
    : !members.names('name') && (members.names('parent_id') || members.names('_links'));

/** Older versions reference the product of a variation only in a link. */
function toParentId(members: JsonMembers): string {
  const id = members.has('parent_id') ? members.id('parent_id') : '0';
  if (id !== '0') return id;
  const [up] = members.object('_links')?.objects('up') ?? [];
  return /\/(\d{1,30})\/?$/.exec(up?.filledText('href') ?? '')?.[1] ?? '0';
}

const innerVariations = (members: JsonMembers): readonly JsonMembers[] =>
  members.hasObjects('variations') ? members.objects('variations') : [];

/** Whether a variation shares the stock of its product. */
const sharesStock = (members: JsonMembers): boolean => members.equals('manage_stock', 'parent');

function toProductRow(members: JsonMembers, line: number): ProductRow {
  const type = members.filledText('type') ?? 'simple';
  const isPublished = members.filledText('status') === 'publish';
  const categories = members.objects('categories').map(toCategory);
  const createdAt = gmt(members, 'date_created_gmt');
  const variant = toVariant(members);
  return {
    line,
    kind: type.startsWith('variable') ? 'variable' : type === 'grouped' ? 'grouped' : 'single',
    categories,
    ...(members.names('variations') && { variations: members.countItems('variations') }),
    values: {
      external_id: variant.external_id,
      title: decodeEntities(members.requiredText('name')),
      handle: members.filledText('slug'),
      status: isPublished || !members.names('status') ? 'ACTIVE' : 'DRAFT',
      vendor: namesOf(members, 'brands')[0] ?? null,
      product_type: categories[0]?.title ?? null,
      tags: [...new Set(namesOf(members, 'tags'))],
      description_html: members.filledText('description'),
      seo_title: metaOf(members, ['_yoast_wpseo_title', 'rank_math_title']),
      seo_description: metaOf(members, ['_yoast_wpseo_metadesc', 'rank_math_description']),
      image_url: members.objects('images')[0]?.filledText('src') ?? null,
      published_at: null,
      published: isPublished,
      created_at: createdAt,
      updated_at: gmt(members, 'date_modified_gmt'),
    },
    variant: { ...variant, title: 'Default Title', options: [] },
  };
}

function toVariationRow(members: JsonMembers, line: number): VariationRow {
  return {
    line,
    position: Number(members.wholeNumber('menu_order', positionBounds) ?? 0),
    variant: toVariant(members),
  };
}

/** The item for sale: a variation, or a product without variations. The API has no weight unit: it is a setting of the shop. */
function toVariant(members: JsonMembers): VariantValues {
  const options = members.objects('attributes').flatMap((attribute) => {
    const [name, value] = [attribute.filledText('name'), attribute.filledText('option')];
    return name === null || value === null ? [] : [{ name: decodeEntities(name), value: decodeEntities(value) }];
  });
  const regular = members.filledDecimal('regular_price');
  const sale = members.equals('on_sale', false) ? null : members.filledDecimal('sale_price');
  const isTracked = !sharesStock(members) && !members.equals('manage_stock', false);
  const title = members.filledText('name');
  return {
    external_id: members.id('id'),
    title: options.length > 0 ? options.map(({ value }) => value).join(' / ') : decodeEntities(title ?? ''),
    sku: members.filledText('sku'),
    barcode: members.filledText('global_unique_id'),
    price: sale ?? regular,
    compare_at_price: sale === null ? null : regular,
    cost_price: null,
    inventory_quantity: isTracked ? members.wholeNumber('stock_quantity', safeBounds) : null,
    weight: members.filledDecimal('weight'),
    weight_unit: null,
    position: '1',
    image_url: members.object('image')?.filledText('src') ?? null,
    options,
    created_at: gmt(members, 'date_created_gmt'),
    updated_at: gmt(members, 'date_modified_gmt'),
  };
}

const namesOf = (members: JsonMembers, name: string): readonly string[] =>
  members.objects(name).flatMap((term) => {
    const text = term.parsed('name', checkIndexedText);
    return text === null ? [] : [decodeEntities(text)];
  });

const toCategory = (term: JsonMembers): Category => ({
  id: term.id('id'),
  title: decodeEntities(term.parsed('name', checkIndexedText) ?? ''),
  handle: term.filledText('slug'),
});

/** SEO texts are plugin values, in a list of keys and values. */
function metaOf(members: JsonMembers, keys: readonly string[]): string | null {
  const all = members.objects('meta_data');
  const found = keys.flatMap((key) => all.filter((meta) => meta.equals('key', key)));
  return found.map((meta) => withoutVariables(meta.filledText('value'))).find((value) => value !== null) ?? null;
}

/** The members that must be present for the file to provide a member here. */
const productMembers: readonly (readonly [keyof ProductValues, string])[] = [
  ['handle', 'slug'],
  ['description_html', 'description'],
  ['vendor', 'brands'],
  ['product_type', 'categories'],
  ['tags', 'tags'],
  ['image_url', 'images'],
  ['seo_title', 'meta_data'],
  ['seo_description', 'meta_data'],
];

const variantMembers: readonly (readonly [keyof VariantValues, string])[] = [
  ['sku', 'sku'],
  ['barcode', 'global_unique_id'],
  ['price', 'sale_price'],
  ['compare_at_price', 'sale_price'],
  ['inventory_quantity', 'stock_quantity'],
  ['weight', 'weight'],
  ['options', 'attributes'],
  ['title', 'attributes'],
];

function toAbsent(seen: ReadonlySet<string>): AbsentFromProducts {
  const lacks = ([, name]: readonly [unknown, string]): boolean => !seen.has(name);
  const variant = new Set(variantMembers.filter(lacks).map(([member]) => member));
  const product = new Set(productMembers.filter(lacks).map(([member]) => member));
  return { product, variant: variant.add('cost_price').add('weight_unit'), weightUnit: false, optionValues: 3 };
}
