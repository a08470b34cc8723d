import { shippedMap } from '../maps/shipped-maps';

/** Magento's products, by the shipped map (src/ingest/maps/shipped/magento.yaml). */
export const magento = shippedMap(
  'magento',
  'the CSV of Magento or Adobe Commerce, System, Export, Products, with the columns sku, attribute_set_code, product_type and name',
);
