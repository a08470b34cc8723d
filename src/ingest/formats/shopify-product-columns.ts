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

/** The fields that the columns become. */
export const carriedByColumns: Readonly<Record<ProductColumn, string>> = {
  handle: 'handle, external_id',
  title: 'title',
  body: 'description_html',
  vendor: 'vendor',
  type: 'product_type',
  tags: 'tags',
  published: 'published_at; status, without a column of it',
  status: 'status',
  option1Name: 'variants.options',
  option1Value: 'variants.options',
  option2Name: 'variants.options',
  option2Value: 'variants.options',
  option3Name: 'variants.options',
  option3Value: 'variants.options',
  sku: 'variants.sku',
  grams: 'variants.weight',
  weightUnit: 'variants.weight_unit',
  tracker: 'variants.inventory_quantity: null where it is blank',
  quantity: 'variants.inventory_quantity',
  price: 'variants.price',
  compareAtPrice: 'variants.compare_at_price',
  cost: 'variants.cost_price',
  barcode: 'variants.barcode',
  imageSource: 'image_url',
  imagePosition: 'which image is image_url',
  variantImage: 'variants.image_url',
  seoTitle: 'seo_title',
  seoDescription: 'seo_description',
};

/** The same in every Shopify file that contains variants. */
export const optionColumns = {
  option1Name: ['Option1 Name'],
  option1Value: ['Option1 Value'],
  option2Name: ['Option2 Name'],
  option2Value: ['Option2 Value'],
  option3Name: ['Option3 Name'],
  option3Value: ['Option3 Value'],
} as const;

/**
 * Shopify's classic header first, then that of 2025 where it differs, then older ones. Google, metafield and market columns are not read.
 */
export const productColumns: ColumnNames<ProductColumn> = {
  handle: ['Handle', 'URL handle'],
  title: ['Title'],
  body: ['Body (HTML)', 'Description'],
  vendor: ['Vendor'],
  type: ['Type', 'Type', 'Custom Product Type'],
  tags: ['Tags'],
  published: ['Published', 'Published on online store'],
  status: ['Status'],
  ...optionColumns,
  sku: ['Variant SKU', 'SKU'],
  grams: ['Variant Grams', 'Weight value (grams)'],
  weightUnit: ['Variant Weight Unit', 'Weight unit for display'],
  tracker: ['Variant Inventory Tracker', 'Inventory tracker'],
  quantity: ['Variant Inventory Qty', 'Inventory quantity'],
  price: ['Variant Price', 'Price'],
  compareAtPrice: ['Variant Compare At Price', 'Compare-at price'],
  cost: ['Cost per item'],
  barcode: ['Variant Barcode', 'Barcode'],
  imageSource: ['Image Src', 'Product image URL'],
  imagePosition: ['Image Position'],
  variantImage: ['Variant Image', 'Variant image URL'],
  seoTitle: ['SEO Title'],
  seoDescription: ['SEO Description'],
};
