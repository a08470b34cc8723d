/** Tables of other tools that people mistake for their shop's export, by columns that only they have together. */
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

/** What a table is, when it is known and cannot be imported. */
export const nameForeignTable = (header: ReadonlySet<string>): string | undefined =>
  [...header].some((name) => /^\*?action\(/.test(name))
    ? 'a listings file of eBay'
    : tables.find(([columns]) => columns.every((column) => header.has(column)))?.[1];
