import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { once } from '../../common/once';
import type { ImportMap, ObjectsMap } from './import-map';
import { MapFormat, VariantsFileFormat } from './map-format';
import { ObjectsMapFormat } from './objects-map-format';
import { readMap } from './read-map';

export const shippedMapNames = [
  'prestashop',
  'squarespace',
  'bigcommerce',
  'magento',
  'opencart',
  'shopware-orders',
] as const;
type ShippedMapName = (typeof shippedMapNames)[number];

/** A shipped map (src/ingest/maps/shipped/), which is read only when a file may need it. */
const openShipped = <Map extends ImportMap | ObjectsMap>(name: ShippedMapName): (() => Map) =>
  once(() => readMap(readFileSync(join(__dirname, 'shipped', `${name}.yaml`), 'utf8'), name) as Map);

const shippedMap = <Name extends ShippedMapName>(name: Name, description: string): MapFormat<Name> =>
  new MapFormat(name, description, openShipped<ImportMap>(name));

export const prestashop = shippedMap(
  'prestashop',
  "the CSV of products in the columns of PrestaShop's import (Product ID, Active (0/1), Name *); its combinations belong beside it",
);

/** PrestaShop's combinations are in another file. */
export const prestashopVariants = new VariantsFileFormat(
  prestashop,
  "the CSV of combinations in the columns of PrestaShop's import (Product ID*, Attribute (Name:Type:Position)*, Value (Value:Position)*)",
);

export const squarespace = shippedMap(
  'squarespace',
  'the CSV of Squarespace, Products, Export all, with the columns Product ID [Non Editable], Variant ID [Non Editable] and Title',
);

export const bigcommerce = shippedMap(
  'bigcommerce',
  'the CSV of BigCommerce, Products, Export, Bulk Edit, with the columns Item Type, Product ID, Product Name and Product Code/SKU',
);

export const magento = shippedMap(
  'magento',
  'the CSV of Magento or Adobe Commerce, System, Export, Products, with the columns sku, attribute_set_code, product_type and name',
);

export const opencart = shippedMap(
  'opencart',
  "the sheet Products of OpenCart's Export/Import Tool, with the columns product_id, name(en-gb), model and stock_status_id",
);

export const shopwareOrders = new ObjectsMapFormat(
  'shopware-orders',
  'the CSV of Shopware 6, Import/Export, Default orders, with the columns order_number, order_date_time, amount_total and customer_lastname',
  'orders',
  openShipped<ObjectsMap>('shopware-orders'),
);
