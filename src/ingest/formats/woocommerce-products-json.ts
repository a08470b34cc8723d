import { SourceLocation } from '../values/import-error';
import type { VariantOption } from '../../catalog/model';
import { decodeEntities } from '../../common/html-entities';
import { checkIndexedText } from '../values/text';
import { safeBounds } from '../values/numbers';
import type { Category } from './categories';
import { jsonFormat } from './json-format';
import type { JsonMembers } from './json-members';
import { toImage } from './lists';
import { computed, firstOf, from, optional } from './rules';
import type { Sales } from './sales';
import { WooProducts, wooMeanings, wooRules, type WooItem } from './woocommerce-assembly';
import { toUtc, withoutVariables } from './woocommerce-values';

/** The API has no weight unit: it is a setting of the shop. */
const rules = wooRules({
  product: {
    url: from('permalink'),
    seo_title: optional(computed(['meta_data'], (_, item) => item.seoTitle())),
    seo_description: optional(computed(['meta_data'], (_, item) => item.seoDescription())),
  },
  variant: { image_url: optional(firstOf(['image', 'images'], (values) => values.text('image.src'))) },
});

/**
 * Products as WooCommerce's REST API returns them. Variations, which the API lists separately, may be in the same file
 * or within products.
 */
export const woocommerceProductsJson = jsonFormat(
  {
    name: 'woocommerce-products-json',
    recognizedBy: ['id', 'name', 'type', 'status', 'regular_price'],
    also: {
      ...wooMeanings,
      images: 'image_url: the first; images',
      variations: 'variants',
      _links: 'identifies the product of the variation',
    },
    needed: {
      manage_stock: 'variants.inventory_quantity: null if it is false',
      on_sale: 'whether sale_price applies',
    },
    skips: {
      isSkipped: (members) => members.text('status') === 'trash',
      words: 'products in the trash were not imported',
    },
  },
  ['product', 'collection'],
  [rules.product, rules.variant],
  async function* (objects, file, context, name) {
    const products = new WooProducts(name, context, rules);
    try {
      for await (const { line, members } of objects) {
        context.problems.beginObject(line);
        const location = new SourceLocation(name, line);
        const item = toItem(members, location, products.sales);
        await products.add(item);
        // Variations inside their product, in place of the ids that the API lists.
        for (const inner of members.hasObjects('variations') ? members.objects('variations') : [])
          await products.add(toItem(inner, location, products.sales, item.id ?? ''));
      }
      yield* products.records(rules.absentFrom(file));
    } finally {
      await products.close();
    }
  },
);

/**
 * Reads one object.
 * @param product the id of the product that has it
 */
function toItem(members: JsonMembers, location: SourceLocation, sales: Sales, product?: string): WooItem {
  const id = members.id('id') || null;
  /** SEO texts are plugin values, in a list of keys and values. */
  const meta = (...keys: readonly string[]) => {
    const all = members.objects('meta_data');
    const found = keys.flatMap((key) => all.filter((one) => one.equals('key', key)));
    return found.map((one) => withoutVariables(one.text('value'))).find((value) => value !== null) ?? null;
  };
  const categories = () => members.objects('categories').map(toCategory);
  return {
    ...{ id, location, categories, values: members },
    kind: product === undefined ? kindOf(members) : 'variation',
    options: optionsOf(members),
    isActive: members.equals('status', 'publish') || !members.provides('status'),
    sharesStock: members.equals('manage_stock', 'parent'),
    prices: sales.pricesOf(
      members.decimal('regular_price'),
      members.equals('on_sale', false) ? null : members.decimal('sale_price'),
      members.parsed('date_on_sale_from_gmt', (text, at) => sales.hasBegun(toUtc(text), at)),
      members.parsed('date_on_sale_to_gmt', (text, at) => sales.hasEnded(toUtc(text), at)),
    ),
    variations: members.provides('variations') ? members.countItems('variations') : undefined,
    references: [`id:${id ?? ''}`],
    productType: () => categories()[0]?.title ?? null,
    names: (name) =>
      members.objects(name).flatMap((term) => {
        const text = term.parsed('name', checkIndexedText);
        return text === null ? [] : [decodeEntities(text)];
      }),
    description: () => members.text('description'),
    seoTitle: () => meta('_yoast_wpseo_title', 'rank_math_title'),
    seoDescription: () => meta('_yoast_wpseo_metadesc', 'rank_math_description'),
    images: () => members.objects('images').flatMap((image) => toImage(image.text('src'), image.text('alt'))),
    stock: () => (members.equals('manage_stock', false) ? null : members.wholeNumber('stock_quantity', safeBounds)),
    unlocalized: (name) => members.decimal(name),
    weightUnit: () => null,
    parent: () => `id:${product ?? toParentId(members)}`,
  };
}

/** Older versions reference the product of a variation only in a link. */
function toParentId(members: JsonMembers): string {
  const id = members.has('parent_id') ? members.id('parent_id') : '0';
  if (id !== '0') return id;
  const [up] = members.objects('_links.up');
  return /\/(\d{1,30})\/?$/.exec(up?.text('href') ?? '')?.[1] ?? '0';
}

function kindOf(members: JsonMembers): WooItem['kind'] {
  const type = members.text('type');
  const isVariation = members.provides('type')
    ? type?.endsWith('variation')
    : !members.provides('name') && (members.provides('parent_id') || members.provides('_links'));
  if (isVariation === true) return 'variation';
  return type?.startsWith('variable') === true ? 'variable' : type === 'grouped' ? 'grouped' : 'single';
}

function optionsOf(members: JsonMembers): readonly VariantOption[] {
  return members.objects('attributes').flatMap((attribute) => {
    // Attributes of a product have the options of all its variations instead.
    const value = attribute.provides('options') ? null : attribute.text('option');
    const name = attribute.text('name');
    return name === null || value === null ? [] : [{ name: decodeEntities(name), value: decodeEntities(value) }];
  });
}

const toCategory = (term: JsonMembers): Category => ({
  id: term.id('id'),
  title: decodeEntities(term.parsed('name', checkIndexedText) ?? ''),
  handle: term.text('slug'),
});
