import type { FileSample, Format, JsonExplained, ReadContext } from '../format';
import {
  optionNumbers,
  type AbsentFromProducts,
  type ProductRecord,
  type ProductValues,
  type VariantValues,
} from '../record';
import { haveMembers } from '../source/json-elements';
import type { SourceFile } from '../source/source-file';
import { checkIndexedText } from '../values/text';
import { positionBounds, safeBounds } from '../values/whole-number';
import { FileMembers, readJsonObjects, lacks, toDistinctVariants } from './json-file';
import type { JsonMembers } from './json-members';
import { toShopifyId, statusOf } from './shopify-json';
import { toOptions } from './shopify-product';

const wrappers = ['products', 'product'];

/** Shopify's products as its Admin REST API, and the `/products.json` of a storefront, return them. */
export const shopifyProductsJson: Format<'shopify-products-json'> = {
  name: 'shopify-products-json',
  description:
    'the JSON of Shopify\'s Admin REST API or of /products.json: {"products": […]}, an array, or one object a line, with the members id, title, handle and body_html',
  kinds: ['product'],
  get explains() {
    return { expected, others, wrappers };
  },
  recognises: ({ members }: FileSample) => haveMembers(members, wrappers, ['id', 'title', 'handle', 'body_html']),
  read,
};

/** Members, and the fields that they become. */
const expected: JsonExplained['expected'] = {
  id: 'external_id',
  title: 'title',
  handle: 'handle',
  body_html: 'description_html',
  vendor: 'vendor',
  product_type: 'product_type',
  tags: 'tags',
  status: 'status',
  published_at: 'published_at',
  created_at: 'created_at',
  updated_at: 'updated_at',
  images: 'image_url: the first',
  options: 'variants.options: their names',
  variants: 'variants',
  'variants.id': 'variants.external_id',
  'variants.title': 'variants.title',
  'variants.sku': 'variants.sku',
  'variants.barcode': 'variants.barcode',
  'variants.price': 'variants.price',
  'variants.compare_at_price': 'variants.compare_at_price',
  'variants.inventory_quantity': 'variants.inventory_quantity',
  'variants.position': 'variants.position',
  'variants.option1': 'variants.options',
  'variants.option2': 'variants.options',
  'variants.option3': 'variants.options',
  'variants.created_at': 'variants.created_at',
  'variants.updated_at': 'variants.updated_at',
};

/** Members that one of the APIs has and the other lacks. */
const others: JsonExplained['others'] = {
  image: 'image_url, without images',
  'variants.inventory_management': 'variants.inventory_quantity: null where it is null',
  'variants.weight': 'variants.weight',
  'variants.weight_unit': 'variants.weight_unit',
  'variants.grams': 'variants.weight, without weight',
  'variants.image_id': 'variants.image_url',
  'variants.featured_image': 'variants.image_url',
};

async function* read(source: SourceFile, context: ReadContext): AsyncGenerator<ProductRecord, void, void> {
  const file = new FileMembers(expected, others);
  for await (const { line, members } of readJsonObjects(source, wrappers, context)) {
    file.note(members);
    const variants = members.objects('variants');
    for (const variant of variants) file.note(variant, 'variants.');
    yield toRecord(members, variants, file, line);
  }
  file.report(context);
}

/** The members that must be present for the file to provide a member here; of several, one is enough. */
const productMembers: readonly (readonly [keyof ProductValues, readonly string[]])[] = [
  ['description_html', ['body_html']],
  ['vendor', ['vendor']],
  ['product_type', ['product_type']],
  ['tags', ['tags']],
  ['status', ['status']],
  ['image_url', ['images', 'image']],
  ['published_at', ['published_at']],
];

const variantMembers: readonly (readonly [keyof VariantValues, readonly string[]])[] = [
  ['title', ['title']],
  ['sku', ['sku']],
  ['barcode', ['barcode']],
  ['price', ['price']],
  ['compare_at_price', ['compare_at_price']],
  ['inventory_quantity', ['inventory_quantity']],
  ['weight', ['weight', 'grams']],
  ['weight_unit', ['weight', 'grams']],
  ['position', ['position']],
  ['image_url', ['image_id', 'featured_image']],
  ['options', ['option1', 'option2', 'option3']],
];

function absentFrom(
  members: JsonMembers,
  variants: readonly JsonMembers[],
  file: FileMembers,
): AbsentFromProducts | undefined {
  const product = lacks([members], productMembers);
  const hasUnit = variants.some((variant) => variant.names('weight'));
  const variant = lacks(variants, variantMembers);
  // SEO texts and costs are in other parts of the API.
  return file.absentFromProduct(
    [...product, 'seo_title', 'seo_description'],
    members.names('variants') ? [...variant, 'cost_price'] : undefined,
    !hasUnit && !variant.includes('weight'),
  );
}

interface Image {
  readonly id: string;
  readonly url: string | null;
}

function toRecord(
  members: JsonMembers,
  variants: readonly JsonMembers[],
  file: FileMembers,
  line: number,
): ProductRecord {
  const images = members.objects('images').map((image) => ({ id: image.id('id'), url: image.filledText('src') }));
  const optionNames = members.objects('options').map((option) => option.filledText('name'));
  const publishedAt = members.timestamp('published_at');
  return {
    kind: 'product',
    line,
    values: {
      external_id: members.id('id', toShopifyId),
      title: members.requiredText('title'),
      handle: members.filledText('handle'),
      status: statusOf(members, publishedAt, 'published_at'),
      vendor: members.parsed('vendor', checkIndexedText),
      product_type: members.parsed('product_type', checkIndexedText),
      tags: members.commaTags('tags'),
      description_html: members.filledText('body_html'),
      seo_title: null,
      seo_description: null,
      image_url: images[0]?.url ?? members.object('image')?.filledText('src') ?? null,
      published_at: publishedAt,
      published: null,
      created_at: members.timestamp('created_at'),
      updated_at: members.timestamp('updated_at'),
    },
    variants: toDistinctVariants(
      variants,
      (variant, index) => toVariant(variant, index, optionNames, images),
      (variant) => variant.reportRepeated('id'),
    ),
    absent: absentFrom(members, variants, file),
  };
}

function toVariant(
  members: JsonMembers,
  index: number,
  optionNames: readonly (string | null)[],
  images: readonly Image[],
): VariantValues {
  const isTracked = !members.names('inventory_management') || members.filledText('inventory_management') !== null;
  const weight = members.decimal('weight');
  const grams = members.names('weight') ? null : members.decimal('grams');
  const unit = weight === null ? null : (members.filledText('weight_unit') ?? 'g');
  return {
    external_id: members.id('id', toShopifyId),
    title: members.filledText('title'),
    sku: members.filledText('sku'),
    barcode: members.filledText('barcode'),
    price: members.filledDecimal('price'),
    compare_at_price: members.filledDecimal('compare_at_price'),
    cost_price: null,
    inventory_quantity: isTracked ? members.wholeNumber('inventory_quantity', safeBounds) : null,
    weight: weight ?? grams,
    weight_unit: grams === null ? unit : 'g',
    position: members.wholeNumber('position', positionBounds) ?? String(index + 1),
    image_url: imageOf(members, images),
    options: toOptions(
      optionNumbers.map((number) => members.filledText(`option${number}`)),
      optionNames,
    ),
    created_at: members.timestamp('created_at'),
    updated_at: members.timestamp('updated_at'),
  };
}

function imageOf(members: JsonMembers, images: readonly Image[]): string | null {
  const id = members.has('image_id') ? members.id('image_id') : undefined;
  const found = id === undefined ? undefined : images.find((image) => image.id === id);
  return found?.url ?? members.object('featured_image')?.filledText('src') ?? null;
}
