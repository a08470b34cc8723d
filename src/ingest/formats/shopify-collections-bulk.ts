import { collectionFormat } from './json-format';
import { from, computed, absent } from './rules';
import { bulkOf } from './shopify-bulk';
import { imageUrl, shopifyId } from './shopify-json';

/**
 * The result of a bulk operation on collections of Shopify's Admin GraphQL API. The products of a collection may follow
 * it, in its own order.
 */
export const shopifyCollectionsBulk = collectionFormat({
  name: 'shopify-collections-bulk',
  ...bulkOf('Collection', { Product: 'products.' }, 'Product'),
  products: ({ members, listed = [] }) =>
    listed.length > 0 || members.provides('productsSelected') ? listed : undefined,
  collection: {
    external_id: shopifyId,
    title: from('title'),
    handle: from('handle'),
    description_html: from('descriptionHtml'),
    collection_type: computed(['ruleSet'], (members) => (members.has('ruleSet') ? 'smart' : 'manual')),
    products_count: from('productsCount.count'),
    image_url: imageUrl,
    seo_title: from('seo.title'),
    seo_description: from('seo.description'),
    created_at: absent(),
    updated_at: from('updatedAt'),
  },
  also: {
    __typename: 'nothing',
    productsSelected: 'memberships: without it, a collection without products keeps its memberships',
    'products.id': 'memberships, in the order of the file',
    'products.__parentId': 'identifies the collection of the product',
  },
});
