import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { once } from '../../common/once';
import type { FormatName, shippedMapNames } from '../formats/descriptions';
import { MapFormat } from './map-format';
import { readMap } from './read-map';

/** The format of a shipped map (src/ingest/maps/shipped/), which is read only when a file may need it. */
const shipped = <Name extends FormatName>(
  name: Name,
  map: (typeof shippedMapNames)[number],
  kind: ConstructorParameters<typeof MapFormat>[2] = 'product',
): MapFormat<Name> =>
  new MapFormat(
    name,
    '',
    kind,
    once(() => readMap(readFileSync(join(__dirname, 'shipped', `${map}.yaml`), 'utf8'), map)),
  );

export const prestashop = shipped('prestashop', 'prestashop');
/** PrestaShop's combinations are in another file. */
export const prestashopVariants = shipped('prestashop-variants', 'prestashop', 'variant');
export const wixProducts = shipped('wix-products', 'wix-products');
export const squarespace = shipped('squarespace', 'squarespace');
export const bigcommerce = shipped('bigcommerce', 'bigcommerce');
export const magento = shipped('magento', 'magento');
export const opencart = shipped('opencart', 'opencart');
export const shopwareOrders = shipped('shopware-orders', 'shopware-orders', 'order');
