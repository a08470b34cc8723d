import type { ColumnNames } from './csv-columns';

export type ProductColumn =
  | 'handle'
  | 'title'
  | 'body'
  | 'vendor'
  | 'type'
  | 'tags'
  | 'published'
  | 'status'
  | `option${1 | 2 | 3}Name`
  | `option${1 | 2 | 3}Value`
  | 'sku'
  | 'grams'
  | 'weightUnit'
  | 'tracker'
  | 'quantity'
  | 'price'
  | 'compareAtPrice'
  | 'cost'
  | 'barcode'
  | 'imageSource'
  | 'imagePosition'
  | 'variantImage'
  | 'seoTitle'
  | 'seoDescription';

/** Shopify's classic headers first, then those of 2025. Google, metafield and market columns are not read. */
export const productColumns: ColumnNames<ProductColumn> = {
  handle: ['handle', 'url handle'],
  title: ['title'],
  body: ['body (html)', 'description'],
  vendor: ['vendor'],
  type: ['type', 'custom product type'],
  tags: ['tags'],
  published: ['published', 'published on online store'],
  status: ['status'],
  option1Name: ['option1 name'],
  option1Value: ['option1 value'],
  option2Name: ['option2 name'],
  option2Value: ['option2 value'],
  option3Name: ['option3 name'],
  option3Value: ['option3 value'],
  sku: ['variant sku', 'sku'],
  grams: ['variant grams', 'weight value (grams)'],
  weightUnit: ['variant weight unit', 'weight unit for display'],
  tracker: ['variant inventory tracker', 'inventory tracker'],
  quantity: ['variant inventory qty', 'inventory quantity'],
  price: ['variant price', 'price'],
  compareAtPrice: ['variant compare at price', 'compare-at price'],
  cost: ['cost per item'],
  barcode: ['variant barcode', 'barcode'],
  imageSource: ['image src', 'product image url'],
  imagePosition: ['image position'],
  variantImage: ['variant image', 'variant image url'],
  seoTitle: ['seo title'],
  seoDescription: ['seo description'],
};
