import type { FileSample, ReadContext } from './format';
import type { SourceFile } from '../source/source-file';
import { collectionFormat } from './json-format';
import { from, computed, absent } from './rules';
import { bulkPrefix, bulkType, readBulkGroups } from './shopify-bulk';
import { imageUrlOf, shopifyId } from './shopify-json';

/** The products of a collection may follow it: they are in a file of their own, too. */
const childTypes: ReadonlySet<string> = new Set();

/** The result of a bulk operation on collections of Shopify's Admin GraphQL API. */
export const shopifyCollectionsBulk = collectionFormat({
  name: 'shopify-collections-bulk',
  recognizedBy: (sample: FileSample) => bulkType(sample) === 'Collection',
  prefixOf: (object) => bulkPrefix(object, {}),
  objects: (source: SourceFile, context: ReadContext) => readBulkGroups(source, 'Collection', childTypes, context),
  collection: {
    external_id: shopifyId,
    title: from('title'),
    handle: from('handle'),
    description_html: from('descriptionHtml'),
    collection_type: computed(['ruleSet'], (members) => (members.has('ruleSet') ? 'smart' : 'manual')),
    products_count: computed(['productsCount'], (members) =>
      members.count(members.hasObject('productsCount') ? 'productsCount.count' : 'productsCount'),
    ),
    image_url: computed(['image'], (members) => {
      const image = members.object('image');
      return image && imageUrlOf(image);
    }),
    seo_title: from('seo.title'),
    seo_description: from('seo.description'),
    created_at: absent(),
    updated_at: from('updatedAt'),
  },
  also: { __typename: 'nothing' },
});
