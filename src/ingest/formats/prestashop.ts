import { VariantsFileFormat } from '../maps/map-format';
import { shippedMap } from '../maps/shipped-maps';

/** PrestaShop's products, by the shipped map (src/ingest/maps/shipped/prestashop.yaml). */
export const prestashop = shippedMap(
  'prestashop',
  "the CSV of products in the columns of PrestaShop's import (Product ID, Active (0/1), Name *); its combinations belong beside it",
);

/** PrestaShop's combinations are in another file. */
export const prestashopVariants = new VariantsFileFormat(
  prestashop,
  "the CSV of combinations in the columns of PrestaShop's import (Product ID*, Attribute (Name:Type:Position)*, Value (Value:Position)*)",
);
