import type { FormatName } from '../../src/ingest/formats/descriptions';
import { csvColumnsOf, toCell, toRow } from '../../src/catalog/export/csv-table';
import type { CsvType } from '../../src/catalog/export/csv-table';
import { lines, order, product, variant } from './import-harness';

/** A table of an export. */
const exported = (type: CsvType, values: Readonly<Record<string, unknown>>): string => {
  const columns = csvColumnsOf(type);
  return (
    toRow(columns.map(({ name }) => name)) + toRow(columns.map((column) => toCell(column, values[column.name], false)))
  );
};
const known = {
  external_id: '1',
  title: 'Mug',
  created_at: '2026-01-31T12:00:00.000Z',
  updated_at: '2026-01-31T12:00:00.000Z',
};

/** A table as the first file of its platform would be, in which every column of one kind of value occurs. */
export const samples: Readonly<Record<FormatName, string>> = {
  snapshot: lines(
    product({ handle: 'h', tags: ['a'], published_at: null, variants: [variant({ price: '1', options: [{ name: 'A', value: 'B' }], position: 1, inventory_quantity: 1, weight: '1' })] }),
    order({ total_price: '1', items_count: 1, tags: [], created_at: '2026-01-31T12:00:00Z', currency: 'EUR' }),
  ),
  'catalog-products': exported('products', { ...known, status: 'ACTIVE', tags: ['a', 'b'], handle: 'mug' }),
  'catalog-variants': exported('variants', { ...known, product_external_id: '1', price: '5.00', position: 1, inventory_quantity: 3, options: [{ name: 'Size', value: 'S' }] }),
  'catalog-collections': exported('collections', { ...known, published: true, products_count: 3, collection_type: 'manual' }),
  'catalog-orders': exported('orders', { ...known, order_number: '#1', total_price: '5.00', items_count: 1, tags: ['a'], currency: 'EUR' }),
  'shopify-products':
    'Handle,Title,Body (HTML),Vendor,Type,Tags,Published,Option1 Name,Option1 Value,Option2 Name,Option2 Value,Variant SKU,Variant Grams,Variant Inventory Tracker,Variant Inventory Qty,Variant Price,Variant Compare At Price,Variant Barcode,Image Src,Image Position,SEO Title,Variant Weight Unit,Cost per item,Status\n' +
    'mug,Mug,<p>A</p>,Acme,Cups,"a, b",true,Size,S,Colour,Red,M-S,300,shopify,3,5.00,6.00,4006381333931,https://x.example/a.jpg,1,Mugs,kg,2.00,active\n' +
    'mug,,,,,,,,L,,Blue,M-L,300,shopify,4,5.50,,,,,,kg,,\ncup,Cup,,,,,false,Title,Default Title,,,C,,,,7,,,,,,,,draft\n',
  'shopify-orders':
    'Name,Email,Financial Status,Paid at,Fulfillment Status,Fulfilled at,Currency,Subtotal,Shipping,Taxes,Total,Created at,Lineitem quantity,Lineitem name,Billing Name,Cancelled at,Id,Tags\n' +
    '#1,a@b.example,paid,2026-01-01 10:00:00 +0000,partial,2026-01-02 10:00:00 +0000,EUR,10.00,5,1.90,16.90,2026-01-01 09:00:00 +0000,2,Mug,Ann,,5001,"a, b"\n#1,,,,,,,,,,,2026-01-01 09:00:00 +0000,3,Cup,,,,\n',
  'shopify-inventory':
    'Handle,Title,Option1 Name,Option1 Value,SKU,HS Code,COO,Location,Incoming,Unavailable,Committed,Available,On hand\nkept,T,Title,Default Title,s,,,Lund,0,1,2,3,9\nkept,T,Title,Default Title,s,,,Oslo,0,1,2,not stocked,9\n',
  'shopify-products-json': JSON.stringify({
    products: [
      {
        id: 632910392, title: 'Mug', body_html: '<p>A</p>', vendor: 'Acme', product_type: 'Cups', created_at: '2026-01-31T12:00:00+00:00', handle: 'mug', updated_at: '2026-01-31T12:00:00+00:00', published_at: null, status: 'active', tags: 'a, b',
        variants: [{ id: 808950810, product_id: 632910392, title: 'S', price: '5.00', position: 1, compare_at_price: null, option1: 'S', option2: null, created_at: '2026-01-31T12:00:00+00:00', updated_at: '2026-01-31T12:00:00+00:00', barcode: '', sku: 'M-S', weight: 0.3, weight_unit: 'kg', inventory_management: 'shopify', inventory_quantity: 3, image_id: 7 }],
        options: [{ id: 1, name: 'Size', position: 1, values: ['S'] }], images: [{ id: 7, position: 1, src: 'a.jpg', variant_ids: [808950810] }], image: { id: 7, src: 'a.jpg' },
      },
    ],
  }),
  'shopify-orders-json': JSON.stringify({
    orders: [{ id: 5001, name: '#1', created_at: '2026-01-10T11:00:00-05:00', updated_at: '2026-01-11T11:00:00-05:00', currency: 'EUR', total_price: '39.90', subtotal_price: '35.0', total_tax: '0.00', total_shipping_price_set: { shop_money: { amount: '4.90', currency_code: 'EUR' } }, financial_status: 'paid', fulfillment_status: null, tags: 'b, a', customer: { first_name: 'Ada', last_name: 'L' }, billing_address: { name: 'Ada' }, line_items: [{ quantity: 2 }] }],
  }),
  'shopify-products-bulk': lines(
    { id: 'gid://shopify/Product/1', title: 'Mug', handle: 'mug', descriptionHtml: '', vendor: '', productType: '', tags: ['a'], status: 'ACTIVE', seo: { title: null, description: 'D' }, featuredMedia: { preview: { image: { url: 'a.jpg' } } }, publishedAt: null, createdAt: '2026-01-31T12:00:00Z', updatedAt: '2026-01-31T12:00:00Z' },
    { id: 'gid://shopify/ProductVariant/2', title: 'S', sku: 's', barcode: null, price: '1.00', compareAtPrice: null, position: 1, inventoryQuantity: 3, inventoryItem: { tracked: true, unitCost: { amount: '1.0' }, measurement: { weight: { value: 0.3, unit: 'KILOGRAMS' } } }, image: { url: 'a.jpg' }, selectedOptions: [{ name: 'Size', value: 'S' }], createdAt: '2026-01-31T12:00:00Z', updatedAt: '2026-01-31T12:00:00Z', __parentId: 'gid://shopify/Product/1' },
  ),
  'shopify-collections-bulk': lines(
    { id: 'gid://shopify/Collection/3', title: 'Cups', handle: 'cups', descriptionHtml: '<p>A</p>', updatedAt: '2026-01-31T12:00:00Z', seo: { title: 'Cups', description: null }, image: { url: 'a.jpg' }, productsCount: { count: 2 }, ruleSet: { appliedDisjunctively: false } },
    { id: 'gid://shopify/Collection/4', title: 'Gifts', handle: 'gifts', descriptionHtml: '', updatedAt: '2026-01-31T12:00:00Z', seo: { title: null, description: null }, image: null, productsCount: { count: 0 }, ruleSet: null },
  ),
  'shopify-orders-bulk': lines(
    { id: 'gid://shopify/Order/5', name: '#1', createdAt: '2026-01-10T16:00:00Z', updatedAt: '2026-01-11T16:00:00Z', currencyCode: 'EUR', totalPriceSet: { shopMoney: { amount: '39.90', currencyCode: 'EUR' } }, subtotalPriceSet: { shopMoney: { amount: '35.0' } }, totalTaxSet: { shopMoney: { amount: '0.00' } }, totalShippingPriceSet: { shopMoney: { amount: '4.90' } }, displayFinancialStatus: 'PAID', displayFulfillmentStatus: null, tags: ['a'], customer: { displayName: 'Ada' } },
    { id: 'gid://shopify/LineItem/6', quantity: 2, __parentId: 'gid://shopify/Order/5' },
  ),
  'wix-products':
    'handleId,fieldType,name,description,productImageUrl,collection,sku,ribbon,price,surcharge,visible,discountMode,discountValue,inventory,weight,cost,productOptionName1,productOptionType1,productOptionDescription1,brand\n' +
    'product_1,Product,Mug,<p>A</p>,a.jpg;b.jpg,Cups;All,,,10,,true,PERCENT,15.0,InStock,0.3,4.5,Size,DROP_DOWN,S;L,Acme\nproduct_1,Variant,,,,,M-S,,,0.0,,,,3,,,,,S,\nproduct_1,Variant,,,,,M-L,,,2.50,,,,OutOfStock,,,,,L,\nproduct_2,Product,Cup,,,,C,,5,,false,AMOUNT,1.25,4,,,,,,\n',
  prestashop:
    'Product ID;Active (0/1);Name *;Categories (x,y,z...);Price tax excluded;Wholesale price;Reference #;Manufacturer;EAN13;Weight;Quantity;Description;Tags (x,y,z...);URL rewritten;Product creation date;Image URLs (x,y,z...)\n1;1;Mug;Cups,All;10.00;4.00;M;Acme;4006381333931;0.3;7;<p>A</p>;a,b;mug;2026-01-31;a.jpg\n',
  'prestashop-variants':
    'Product ID*;Attribute (Name:Type:Position)*;Value (Value:Position)*;Reference;EAN13;Wholesale price;Impact on price;Quantity;Impact on weight;Default (0 = No, 1 = Yes)\n1;Size:select:0;S:0;M-S;4006381333931;1;0.5;3;0;1\n',
  squarespace:
    'Product ID [Non Editable],Variant ID [Non Editable],Product Type [Non Editable],Product Page,Product URL,Title,Description,SKU,Option Name 1,Option Value 1,Price,Sale Price,On Sale,Stock,Categories,Tags,Weight,Visible,Hosted Image URLs\np1,v1,PHYSICAL,shop,mug,Mug,<p>A</p>,M-S,Size,S,10.00,8.00,Yes,3,/cups,"a, b",0.3,Yes,a.jpg b.jpg\n,v2,,,,,,M-L,,L,11.00,,No,Unlimited,,,,,\n',
  bigcommerce:
    'Item Type,Product ID,Product Name,Product Type,Product Code/SKU,Brand Name,Product Description,Price,Cost Price,Sale Price,Product Weight,Product Visible?,Track Inventory,Current Stock Level,Category,Product URL\nProduct,1,Mug,P,M,Acme,<p>A</p>,10.00,4.00,0.00,0.3,Y,by product,7,Cups,/mug/\n  SKU,,"[S]Size=S,[RB]Colour=Red",,M-S,,,,,,,,,3,,\n',
  magento:
    'sku,store_view_code,attribute_set_code,product_type,categories,product_websites,name,description,weight,product_online,price,special_price,url_key,created_at,qty,manage_stock,configurable_variations,configurable_variation_labels\nM-S,,Default,simple,,base,Mug-S,,0.3,1,10.0000,9.5,mug-s,31/01/2026 12:00,3.0000,1,,\nM,,Default,configurable,Default Category/Cups,base,Mug,<p>A</p>,,1,,,mug,,,1,"sku=M-S,size=S",size=Size\n',
  opencart:
    'product_id,name(en-gb),categories,sku,upc,ean,quantity,model,manufacturer,image_name,price,date_added,date_modified,weight,weight_unit,status,seo_keyword,description(en-gb),meta_title(en-gb),meta_description(en-gb),stock_status_id,tags(en-gb)\n' +
    '40,Mug,"20,24",M,,4006381333931,7,mug-1,Acme,catalog/mug.jpg,10.0000,2026-01-31 12:00:00,2026-02-01 12:00:00,0.30000000,kg,true,mug,<p>A</p>,Mugs,D,5,"a, b"\n41,Cup,,,,,0,cup-1,,,5.0000,0000-00-00 00:00:00,2026-02-01 12:00:00,,kg,false,,,,,5,\n',
  'shopware-orders':
    'id;order_number;sales_channel_id;customer_firstname;customer_lastname;customer_email;billing_address_city;amount_total;order_state_id;line_items;order_date_time\n' +
    '0192f0c1;10001;98432def;Ann;Berg;ann@shop.example;Lund;39.9;5d1b2c;"2x 0192f0aa|1x 0192f0ab";2026-01-10T11:00:00.000+00:00\n0192f0c2;10002;98432def;;Ng;;;5;5d1b2c;"1x ";2026-01-11T11:00:00.000+00:00\n',
  'woocommerce-products':
    'ID,Type,SKU,Name,Published,Visibility in catalog,Description,In stock?,Stock,Weight (kg),Sale price,Regular price,Categories,Tags,Images,Parent,Attribute 1 name,Attribute 1 value(s)\n1,variable,M,Mug,1,visible,<p>A</p>,1,,0.3,,,"Cups > Large, All","a, b",a.jpg,,Size,"S, L"\n2,variation,M-S,Mug - S,1,visible,,1,3,,8,10,,,,id:1,Size,S\n3,simple,C,Cup,-1,hidden,,0,0,,,5,,,,,,\n',
  'woocommerce-products-json': JSON.stringify([{ id: 1, name: 'Cup', slug: 'cup', type: 'simple', status: 'publish', description: '<p>A</p>', sku: 'C', price: '5', regular_price: '6', sale_price: '5', stock_quantity: 3, manage_stock: true, stock_status: 'instock', weight: '0.3', categories: [{ id: 1, name: 'Cups' }], tags: [{ id: 1, name: 'a' }], images: [{ id: 1, src: 'a.jpg' }], attributes: [{ id: 0, name: 'Size', options: ['S'], variation: false }], variations: [], date_created_gmt: '2026-01-22T19:28:02', date_modified_gmt: '2026-01-22T19:30:00' }]),
  'woocommerce-orders-json': JSON.stringify([{ id: 727, number: '727', status: 'processing', currency: 'USD', date_created_gmt: '2026-01-22T19:28:02', date_modified_gmt: '2026-01-22T19:30:00', date_paid_gmt: null, date_completed_gmt: null, shipping_total: '10.00', total: '29.35', total_tax: '1.35', billing: { first_name: 'Zoë', last_name: 'O' }, line_items: [{ id: 1, quantity: 2, subtotal: '6.00', total: '5.00', price: 3 }], refunds: [{ id: 1, total: '-1.00' }] }]),
}; // prettier-ignore
