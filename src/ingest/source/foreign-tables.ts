/**
 * Tables of other tools that people mistake for their shop's export, by a combination of columns that only they have.
 */
const tables: readonly (readonly [columns: readonly string[], what: string])[] = [
  [['id', 'title', 'availability', 'condition', 'image link'], 'a product feed for Google Merchant'],
  [
    ['id', 'title', 'availability', 'condition', 'image_link'],
    'a product feed for a Facebook catalog or Google Merchant',
  ],
  [['item_sku', 'item_name', 'feed_product_type'], 'an inventory file of Amazon'],
  [['title', 'description', 'price', 'currency_code', 'quantity', 'tags', 'materials'], 'a listings file of Etsy'],
  [['first name', 'last name', 'email', 'total spent', 'total orders'], 'the customers export of Shopify'],
];

/** The kind of a table that is known and cannot be imported. */
export const describeForeignTable = (header: ReadonlySet<string>): string | undefined =>
  [...header].some((name) => /^\*?action\(/.test(name))
    ? 'a listings file of eBay'
    : tables.find(([columns]) => columns.every((column) => header.has(column)))?.[1];
