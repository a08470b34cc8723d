/** The 19 fields of a product with their names in the REST API, in its order. */
export const productFields = [
  'id',
  'external_id',
  'title',
  'handle',
  'status',
  'vendor',
  'product_type',
  'tags',
  'description_html',
  'seo_title',
  'seo_description',
  'image_url',
  'variant_count',
  'min_price',
  'max_price',
  'total_stock',
  'published_at',
  'created_at',
  'updated_at',
];

export const variantFields = [
  'id',
  'external_id',
  'title',
  'sku',
  'barcode',
  'price',
  'compare_at_price',
  'cost_price',
  'inventory_quantity',
  'weight',
  'weight_unit',
  'position',
  'image_url',
  'options',
  'created_at',
  'updated_at',
];

/** The same columns as JSON text that needs no further work: timestamps in their final form. */
export const jsonColumns = (fields) =>
  fields
    .map((field) =>
      field.endsWith('_at')
        ? `to_char(${field} AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"') AS ${field}`
        : field,
    )
    .join(', ');

export const pageSize = 50;
