import type { StoredImage } from '../../catalog/model';
import type { FileSample } from './format';
import { safeBounds } from '../values/numbers';
import type { ObjectWithParts } from './json-file';
import { productFormat } from './json-format';
import type { JsonMembers } from './json-members';
import { inOrder, toImage, toMemberships } from './lists';
import { from, computed, optional } from './rules';
import { bulkOf, bulkType } from './shopify-bulk';
import { altTextOf, imageUrl, imageUrlOf, positionIn, shopifyId, statusOf, toShopifyId } from './shopify-json';
import { toOptions } from './shopify-product';

/** The types in the IDs of image lines: they differ by API version and by connection (`media`, `images`). */
const imageTypes = ['MediaImage', 'ProductImage', 'Image', 'ImageSource'];

/** Our weight units, by Shopify's names. */
const units = { GRAMS: 'g', KILOGRAMS: 'kg', OUNCES: 'oz', POUNDS: 'lb' } as const;
const unitNames = Object.keys(units) as (keyof typeof units)[];
const weightPath = 'inventoryItem.measurement.weight';

/** Members of image lines that are read, by any of the API's names (shopify-json.ts). */
const imageMembers = ['id', 'url', 'src', 'originalSrc', 'image', 'preview', 'alt', 'altText'];

/** By type of line, the prefix of its member names in `--explain`. */
const prefixes = {
  ProductVariant: 'variants.',
  Collection: 'collections.',
  ...Object.fromEntries(imageTypes.map((type) => [type, 'images.'])),
};

/** From child lines. Undefined means that the query did not select them, so that the stored values are kept. */
interface Shared {
  readonly images: readonly StoredImage[] | undefined;
  readonly collections: readonly string[] | undefined;
}

/**
 * The result of a bulk operation on products of Shopify's Admin GraphQL API. Fields that its query did not select keep
 * their stored values.
 */
export const shopifyProductsBulk = productFormat({
  name: 'shopify-products-bulk',
  ...bulkOf('Product', prefixes),
  recognizedBy(sample: FileSample) {
    // Objects of other types are accepted, too: each gets an error that says which ID is expected.
    const type = bulkType(sample);
    return type !== undefined && type !== 'Order' && type !== 'Collection';
  },
  shared({ members, parts }): Shared {
    // Only direct children: the parts include those of variants, such as their images.
    const own = parts.filter((part) => part.members.text('__parentId') === members.text('id'));
    const images = own
      .filter(({ type }) => imageTypes.includes(type))
      .flatMap(({ members: image }) => toImage(imageUrlOf(image), altTextOf(image)));
    const collections = own
      .filter(({ type }) => type === 'Collection')
      .map(({ members: collection }) => collection.id('id', toShopifyId));
    // Without image lines, the query must prove that it selected them. A null `featuredMedia` proves it, too.
    const hasNoImages =
      members.provides('mediaSelected') || (members.provides('featuredMedia') && !members.has('featuredMedia'));
    return {
      images: images.length > 0 || hasNoImages ? inOrder(images) : undefined,
      collections: collections.length > 0 || members.provides('collectionsSelected') ? collections : undefined,
    };
  },
  product: {
    external_id: shopifyId,
    title: from('title'),
    handle: from('handle'),
    status: computed(['status'], (members) => statusOf(members, 'publishedAt')),
    vendor: from('vendor'),
    product_type: from('productType'),
    tags: from('tags'),
    description_html: from('descriptionHtml', 'bodyHtml'),
    seo_title: from('seo.title'),
    seo_description: from('seo.description'),
    image_url: {
      names: ['featuredMedia', 'featuredImage'],
      areAlternatives: true,
      read: (members: JsonMembers, _, { images }: Shared) => featuredImage(members) ?? images?.[0]?.url ?? null,
      isProvided: (product, { images }: Shared) =>
        images !== undefined || product.provides('featuredMedia') || product.provides('featuredImage'),
    },
    published_at: from('publishedAt'),
    created_at: from('createdAt'),
    updated_at: from('updatedAt'),
    url: from('onlineStoreUrl'),
    images: optional({
      names: ['featuredMedia'],
      read: (_: JsonMembers, __, { images = [] }: Shared) => images,
      isProvided: (_, { images }: Shared) => images !== undefined,
    }),
    memberships: optional({
      names: ['collectionsSelected'],
      read: (_: JsonMembers, __, { collections = [] }: Shared) => toMemberships(collections),
      isProvided: (_, { collections }: Shared) => collections !== undefined,
    }),
  },
  variants: variantsOf,
  variant: {
    external_id: shopifyId,
    title: from('title'),
    sku: from('sku'),
    barcode: from('barcode'),
    price: from('price'),
    compare_at_price: from('compareAtPrice'),
    cost_price: computed(['inventoryItem.unitCost'], (variant) => variant.decimal('inventoryItem.unitCost.amount')),
    inventory_quantity: computed(['inventoryQuantity'], (variant) =>
      variant.boolean('inventoryItem.tracked') === false ? null : variant.wholeNumber('inventoryQuantity', safeBounds),
    ),
    weight: optional(computed(['inventoryItem.measurement'], (variant) => variant.decimal(`${weightPath}.value`))),
    weight_unit: optional(
      computed(['inventoryItem.measurement'], (variant) => {
        const unit = variant.oneOf(`${weightPath}.unit`, unitNames);
        // Grams if the query did not select the unit.
        return variant.has(`${weightPath}.value`) ? units[unit ?? 'GRAMS'] : null;
      }),
    ),
    position: computed(['position'], positionIn),
    image_url: imageUrl,
    options: computed(['selectedOptions'], (variant) => {
      const options = variant.objects('selectedOptions');
      return toOptions(
        options.map((option) => option.text('value')),
        options.map((option) => option.text('name')),
      );
    }),
    created_at: from('createdAt'),
    updated_at: from('updatedAt'),
  },
  // `collectionsSelected: __typename` in a query tells a product without collections from collections not selected;
  // `mediaSelected` does the same for images.
  also: {
    __typename: 'nothing',
    mediaSelected: 'images: without it, a product that only has videos keeps its images',
    collectionsSelected: 'memberships: without it, a product without collections keeps its memberships',
    ...Object.fromEntries(imageMembers.map((name) => [`images.${name}`, 'images'])),
    'images.__parentId': 'identifies the product of the image',
    'images.__typename': 'nothing',
    'collections.id': 'memberships',
    'collections.__parentId': 'identifies the product in the collection',
    'variants.__typename': 'nothing',
    'variants.__parentId': 'identifies the product of the variant',
  },
});

/** Undefined without variants: the query did not select them, as every product of Shopify has one. */
function variantsOf({ parts }: ObjectWithParts): readonly JsonMembers[] | undefined {
  const variants = parts.filter(({ type }) => type === 'ProductVariant');
  return variants.length === 0 ? undefined : variants.map(({ members }) => members);
}

/** The URL of the featured image, at any of the paths that queries of several API versions use. */
function featuredImage(members: JsonMembers): string | null {
  const paths = ['featuredMedia.preview.image', 'featuredMedia.image', 'featuredImage'];
  const image = members.object(paths.find((path) => members.has(path)) ?? 'featuredMedia.preview.image');
  return image && imageUrlOf(image);
}
