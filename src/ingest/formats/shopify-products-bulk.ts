import type { FileSample, Format, JsonExplained, ReadContext } from '../format';
import type { ProductRecord, ProductValues, VariantValues } from '../record';
import type { SourceFile } from '../source/source-file';
import { checkIndexedText } from '../values/text';
import { positionBounds, safeBounds } from '../values/whole-number';
import { FileMembers, lacks, toDistinctVariants } from './json-file';
import type { JsonMembers } from './json-members';
import { bulkPrefix, bulkType, readBulkGroups, type BulkGroup } from './shopify-bulk';
import { amountOf, imageUrlOf, toShopifyId, statusOf } from './shopify-json';
import { toOptions } from './shopify-product';

/**
 * The result of a bulk operation on products of Shopify's Admin GraphQL API. Fields that its query did not select keep their stored values.
 */
export const shopifyProductsBulk: Format<'shopify-products-bulk'> = {
  name: 'shopify-products-bulk',
  description:
    'the JSONL of a bulk operation on products of Shopify\'s Admin GraphQL API, one object a line with an "id" such as gid://shopify/Product/123, variants behind their product with "__parentId"',
  kinds: ['product'],
  get explains() {
    return {
      expected,
      others,
      wrappers: [],
      prefixOf: (object: Readonly<Record<string, unknown>>) => bulkPrefix(object, { ProductVariant: 'variants.' }),
    };
  },
  recognises(sample: FileSample): boolean {
    const type = bulkType(sample);
    return type !== undefined && type !== 'Order';
  },
  read,
};

/** Members, and the fields that they become. */
const expected: JsonExplained['expected'] = {
  id: 'external_id',
  title: 'title',
  handle: 'handle',
  descriptionHtml: 'description_html',
  vendor: 'vendor',
  productType: 'product_type',
  tags: 'tags',
  status: 'status',
  seo: 'seo_title, seo_description',
  featuredMedia: 'image_url',
  publishedAt: 'published_at',
  createdAt: 'created_at',
  updatedAt: 'updated_at',
  'variants.id': 'variants.external_id',
  'variants.title': 'variants.title',
  'variants.sku': 'variants.sku',
  'variants.barcode': 'variants.barcode',
  'variants.price': 'variants.price',
  'variants.compareAtPrice': 'variants.compare_at_price',
  'variants.inventoryQuantity': 'variants.inventory_quantity',
  'variants.inventoryItem': 'variants.weight, variants.weight_unit, variants.cost_price',
  'variants.position': 'variants.position',
  'variants.image': 'variants.image_url',
  'variants.selectedOptions': 'variants.options',
  'variants.createdAt': 'variants.created_at',
  'variants.updatedAt': 'variants.updated_at',
};

/** Older names of members, and the members of the lines themselves. */
const others: JsonExplained['others'] = {
  __typename: 'nothing',
  bodyHtml: 'description_html, without descriptionHtml',
  featuredImage: 'image_url, without featuredMedia',
  'variants.__typename': 'nothing',
  'variants.__parentId': 'which product a variant is of',
  'variants.weight': 'variants.weight',
  'variants.weightUnit': 'variants.weight_unit',
};

const imageTypes = ['MediaImage', 'ProductImage', 'Image', 'ImageSource'];
const childTypes: ReadonlySet<string> = new Set(['ProductVariant', ...imageTypes]);

/** The members that the query must have selected for the file to provide a member here; of several, one is enough. */
const productMembers: readonly (readonly [keyof ProductValues, readonly string[]])[] = [
  ['handle', ['handle']],
  ['description_html', ['descriptionHtml', 'bodyHtml']],
  ['vendor', ['vendor']],
  ['product_type', ['productType']],
  ['tags', ['tags']],
  ['status', ['status']],
  ['seo_title', ['seo']],
  ['seo_description', ['seo']],
  ['image_url', ['featuredMedia', 'featuredImage']],
  ['published_at', ['publishedAt']],
];

const variantMembers: readonly (readonly [keyof VariantValues, readonly string[]])[] = [
  ['title', ['title']],
  ['sku', ['sku']],
  ['barcode', ['barcode']],
  ['price', ['price']],
  ['compare_at_price', ['compareAtPrice']],
  ['inventory_quantity', ['inventoryQuantity']],
  ['position', ['position']],
  ['image_url', ['image']],
  ['options', ['selectedOptions']],
];

async function* read(source: SourceFile, context: ReadContext): AsyncGenerator<ProductRecord, void, void> {
  const file = new FileMembers(expected, others);
  for await (const group of readBulkGroups(source, 'Product', childTypes, context)) {
    file.note(group.members);
    yield toRecord(group, file);
  }
  file.report(context);
}

function toRecord({ line, members, children }: BulkGroup, file: FileMembers): ProductRecord {
  const all = children.filter(({ type }) => type === 'ProductVariant').map((child) => child.members);
  for (const variant of all) file.note(variant, 'variants.');
  const images = children.filter(({ type, members: image }) => imageTypes.includes(type) && isChildOf(image, members));
  const imageUrls = images.map((image) => imageUrlOf(image.members)).filter((url) => url !== null);
  const publishedAt = members.timestamp('publishedAt');
  const seo = members.object('seo');
  const product = lacks([members], productMembers).filter((name) => name !== 'image_url' || imageUrls.length === 0);
  return {
    kind: 'product',
    line,
    values: {
      external_id: members.id('id', toShopifyId),
      title: members.requiredText('title'),
      handle: members.filledText('handle'),
      status: statusOf(members, publishedAt, 'publishedAt'),
      vendor: members.parsed('vendor', checkIndexedText),
      product_type: members.parsed('productType', checkIndexedText),
      tags: members.commaTags('tags'),
      description_html: members.filledText(members.names('descriptionHtml') ? 'descriptionHtml' : 'bodyHtml'),
      seo_title: seo?.filledText('title') ?? null,
      seo_description: seo?.filledText('description') ?? null,
      image_url: featuredImage(members) ?? imageUrls[0] ?? null,
      published_at: publishedAt,
      published: null,
      created_at: members.timestamp('createdAt'),
      updated_at: members.timestamp('updatedAt'),
    },
    variants: toDistinctVariants(all, toVariant, (variant) =>
      variant.report('id', (at) => at.fault('this variant appears in an earlier line')),
    ),
    absent: file.absentFromProduct(product, all.length === 0 ? undefined : absentFromVariants(all)),
  };
}

const isChildOf = (child: JsonMembers, parent: JsonMembers): boolean => child.text('__parentId') === parent.text('id');

function featuredImage(members: JsonMembers): string | null {
  const media = members.object('featuredMedia');
  const image = media?.object('preview')?.object('image') ?? media?.object('image') ?? members.object('featuredImage');
  return image == null ? null : imageUrlOf(image);
}

function absentFromVariants(all: readonly JsonMembers[]): readonly (keyof VariantValues)[] {
  const items = all.flatMap((variant) => variant.object('inventoryItem') ?? []);
  const hasWeight = all.some((variant) => variant.names('weight')) || items.some((item) => item.names('measurement'));
  return [
    ...lacks(all, variantMembers),
    ...(hasWeight ? [] : (['weight', 'weight_unit'] as const)),
    ...(items.some((item) => item.names('unitCost')) ? [] : (['cost_price'] as const)),
  ];
}

const weightUnits = { GRAMS: 'g', KILOGRAMS: 'kg', OUNCES: 'oz', POUNDS: 'lb' } as const;

function toVariant(members: JsonMembers, index: number): VariantValues {
  const item = members.object('inventoryItem');
  const options = members.objects('selectedOptions');
  const measured = item?.object('measurement')?.object('weight') ?? undefined;
  const weight = measured?.decimal('value') ?? members.decimal('weight');
  const unitNames = Object.keys(weightUnits) as (keyof typeof weightUnits)[];
  const unit = measured ? measured.oneOf('unit', unitNames) : members.oneOf('weightUnit', unitNames);
  return {
    external_id: members.id('id', toShopifyId),
    title: members.filledText('title'),
    sku: members.filledText('sku'),
    barcode: members.filledText('barcode'),
    price: amountOf(members, 'price'),
    compare_at_price: amountOf(members, 'compareAtPrice'),
    cost_price: item ? amountOf(item, 'unitCost') : null,
    inventory_quantity: item?.boolean('tracked') === false ? null : members.wholeNumber('inventoryQuantity', safeBounds), // prettier-ignore
    weight,
    weight_unit: weight === null ? null : unit === null ? 'g' : weightUnits[unit],
    position: members.wholeNumber('position', positionBounds) ?? String(index + 1),
    image_url: imageOf(members),
    options: toOptions(
      options.map((option) => option.filledText('value')),
      options.map((option) => option.filledText('name')),
    ),
    created_at: members.timestamp('createdAt'),
    updated_at: members.timestamp('updatedAt'),
  };
}

function imageOf(members: JsonMembers): string | null {
  const image = members.object('image');
  return image === null ? null : imageUrlOf(image);
}
