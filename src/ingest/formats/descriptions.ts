/** Descriptions of every format's files and their required content, in the order in which `auto` tries them. */
export const descriptions = {
  snapshot: 'NDJSON, one JSON object per line with a "type" of shop, product, collection or order',
  'catalog-products': 'the CSV from `catalog export --format csv --type products`, with all its columns',
  'catalog-variants': 'the CSV from `catalog export --format csv --type variants`, with all its columns',
  'catalog-collections': 'the CSV from `catalog export --format csv --type collections`, with all its columns',
  'catalog-orders': 'the CSV from `catalog export --format csv --type orders`, with all its columns',
  'shopify-products':
    'the CSV from Shopify, Products, Export, with the columns Handle, Title and Variant Price (new headers: URL handle, Title and Price)',
  'shopify-orders':
    'the CSV from Shopify, Orders, Export, with the columns Name, Created at and at least one of Lineitem name, Lineitem quantity, Financial Status and Fulfillment Status',
  'shopify-inventory':
    'the CSV from Shopify, Products, Inventory, Export, with the columns Handle, Option1 Value, Location and Available, or one column per location after COO: stock by location, for products in the shop or in another file',
  'shopify-products-json':
    'the JSON from Shopify\'s Admin REST API or from /products.json: {"products": […]}, an array, or one object per line, with the fields id, title, handle and body_html',
  'shopify-orders-json':
    'the JSON from Shopify\'s Admin REST API: {"orders": […]}, an array, or one object per line, with the fields id, name, created_at and financial_status',
  'shopify-products-bulk':
    'the JSONL from a bulk operation on products in Shopify\'s Admin GraphQL API, one object per line with an "id" such as gid://shopify/Product/123, variants after their product with "__parentId"',
  'shopify-collections-bulk':
    'the JSONL from a bulk operation on collections in Shopify\'s Admin GraphQL API, one object per line with an "id" such as gid://shopify/Collection/123',
  'shopify-orders-bulk':
    'the JSONL from a bulk operation on orders in Shopify\'s Admin GraphQL API, one object per line with an "id" such as gid://shopify/Order/123, line items after their order with "__parentId"',
  'wix-products':
    'the CSV from Wix, Store Products, Export, with the columns handleId or handle, fieldType, name and price',
  prestashop:
    "a product CSV with the columns of PrestaShop's import (Product ID, Active (0/1), Name *, Price tax excluded); import it together with its combinations",
  'prestashop-variants':
    "a combinations CSV with the columns of PrestaShop's import (Product ID*, Attribute (Name:Type:Position)*, Value (Value:Position)*)",
  squarespace:
    'the CSV from Squarespace, Products, Export all, with the columns Product ID [Non Editable], Variant ID [Non Editable], Title and Price',
  bigcommerce:
    'the CSV from BigCommerce, Products, Export, Bulk Edit, with the columns Item Type, Product ID, Product Name and Product Code/SKU',
  magento:
    'the CSV from Magento or Adobe Commerce, System, Export, Products, with the columns sku, attribute_set_code, product_type and name',
  opencart:
    "the sheet Products from OpenCart's Export/Import Tool, with the columns product_id, model, stock_status_id and a name such as name(en-gb)",
  'shopware-orders':
    'the CSV from Shopware 6, Import/Export, Default orders, with the columns order_number, order_date_time, amount_total and customer_lastname',
  'woocommerce-products':
    'the CSV from WooCommerce, Products, Export, with the columns Type, Name, ID or SKU, and Published, Regular price or attributes (in English, German, French, Spanish, Dutch or Russian; in other languages with all columns)',
  'woocommerce-products-json':
    "the JSON from WooCommerce's REST API (/wc/v3/products, and their variations in the same file): an array, or one object per line, with the fields id, name, type, status and regular_price",
  'woocommerce-orders-json':
    "the JSON from WooCommerce's REST API (/wc/v3/orders): an array, or one object per line, with the fields id, number, status and date_created_gmt",
} as const;

export type FormatName = keyof typeof descriptions;

/** Description of a format's files and their required content. A user's mapping file may have a format's name. */
export const descriptionOf = ({ name, description }: { name: string; description?: string }): string =>
  description || descriptions[name as FormatName];

export const formatNames = Object.keys(descriptions) as readonly FormatName[];

/** The maps in src/ingest/maps/shipped. */
export const shippedMapNames = [
  'wix-products',
  'prestashop',
  'squarespace',
  'bigcommerce',
  'magento',
  'opencart',
  'shopware-orders',
] as const;
