import { shippedMap } from '../maps/shipped-maps';

/** BigCommerce's products, by the shipped map (src/ingest/maps/shipped/bigcommerce.yaml). */
export const bigcommerce = shippedMap(
  'bigcommerce',
  'the CSV of BigCommerce, Products, Export, Bulk Edit, with the columns Item Type, Product ID, Product Name and Product Code/SKU',
);
