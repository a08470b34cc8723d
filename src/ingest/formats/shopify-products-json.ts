import { optionNumbers } from './record';
import type { StoredImage } from '../../catalog/model';
import { positionBounds, safeBounds } from '../values/numbers';
import { productFormat, type AroundVariant } from './json-format';
import type { JsonMembers } from './json-members';
import { inOrder, toImage } from './lists';
import { firstOf, from, computed, optional } from './rules';
import { positionIn, shopifyId, statusOf } from './shopify-json';
import { shopifyUrl, toOptions } from './shopify-product';

interface Shared {
  readonly domain: string;
  readonly images: readonly StoredImage[];
  readonly urlOf: ReadonlyMap<string, string>;
  readonly optionNames: readonly (string | null)[];
}

const optionMembers = optionNumbers.map((number) => `option${number}`);

/**
 * Shopify's products as its Admin REST API, and the `/products.json` of a storefront, return them. Each lacks some
 * members of the other.
 */
export const shopifyProductsJson = productFormat({
  name: 'shopify-products-json',
  wrappers: ['products', 'product'],
  recognizedBy: ['id', 'title', 'handle', 'body_html'],
  shared: ({ members }, { domain }): Shared => ({
    ...imagesOf(members),
    domain,
    optionNames: members.objects('options').map((option) => option.text('name')),
  }),
  product: {
    external_id: shopifyId,
    title: from('title'),
    handle: from('handle'),
    status: computed(['status'], (members) => statusOf(members, 'published_at')),
    vendor: from('vendor'),
    product_type: from('product_type'),
    tags: from('tags'),
    description_html: from('body_html'),
    image_url: firstOf(
      ['images', 'image'],
      (members, { images }: Shared) => images[0]?.url ?? members.text('image.src'),
      'the first',
    ),
    published_at: from('published_at'),
    created_at: from('created_at'),
    updated_at: from('updated_at'),
    url: {
      ...computed(['handle', 'published_at'], (members: JsonMembers, { domain }: Shared) => {
        const handle = members.text('handle');
        return handle === null || !members.has('published_at') ? null : shopifyUrl(domain, handle);
      }),
      isProvided: (product) => product.provides('handle') && product.provides('published_at'),
    },
    images: computed(['images'], (_, { images }: Shared) => images),
  },
  variants: ({ members }) => (members.provides('variants') ? members.objects('variants') : undefined),
  variant: {
    external_id: shopifyId,
    title: from('title'),
    sku: from('sku'),
    barcode: from('barcode'),
    price: from('price'),
    compare_at_price: from('compare_at_price'),
    inventory_quantity: computed(['inventory_quantity'], (variant) =>
      isTracked(variant) ? variant.wholeNumber('inventory_quantity', safeBounds) : null,
    ),
    weight: optional(
      firstOf(['weight', 'grams'], (variant) => variant.decimal(variant.provides('weight') ? 'weight' : 'grams')),
    ),
    weight_unit: optional(
      computed(
        ['weight', 'grams'],
        (variant) => {
          if (variant.has('weight')) return variant.text('weight_unit') ?? 'g';
          return !variant.provides('weight') && variant.has('grams') ? 'g' : null;
        },
        'that of weight_unit, or g',
      ),
    ),
    position: computed(['position'], positionIn),
    image_url: firstOf(['image_id', 'featured_image'], (variant, { shared: { urlOf } }: AroundVariant<Shared>) => {
      const found = variant.has('image_id') ? urlOf.get(variant.id('image_id')) : undefined;
      return found ?? (variant.has('featured_image') ? variant.text('featured_image.src') : null);
    }),
    options: computed(optionMembers, (variant, { shared: { optionNames } }: AroundVariant<Shared>) =>
      toOptions(
        optionMembers.map((name) => variant.text(name)),
        optionNames,
      ),
    ),
    created_at: from('created_at'),
    updated_at: from('updated_at'),
  },
  areWeightsInGrams: (variants) =>
    variants.some((variant) => variant.provides('grams')) && !variants.some((variant) => variant.provides('weight')),
  needed: {
    variants: 'variants',
    options: 'variants.options: their names',
    'variants.inventory_management': 'variants.inventory_quantity: null if it is null',
    'variants.weight_unit': 'variants.weight_unit',
  },
});

function imagesOf(members: JsonMembers): Pick<Shared, 'images' | 'urlOf'> {
  const urlOf = new Map<string, string>();
  const images = members.objects('images').flatMap((image) => {
    const [id, url] = [image.id('id'), image.text('src')];
    if (url !== null) urlOf.set(id, url);
    return toImage(url, image.text('alt'), image.wholeNumber('position', positionBounds));
  });
  return { images: inOrder(images), urlOf };
}

const isTracked = (variant: JsonMembers): boolean =>
  !variant.provides('inventory_management') || variant.text('inventory_management') !== null;
