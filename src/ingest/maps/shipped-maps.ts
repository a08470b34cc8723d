import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { once } from '../../common/once';
import { descriptions, type shippedMapNames } from '../formats/descriptions';
import type { ImportMap, ObjectsMap } from './import-map';
import { MapFormat, VariantsFileFormat } from './map-format';
import { ObjectsMapFormat } from './objects-map-format';
import { readMap } from './read-map';

type ShippedMapName = (typeof shippedMapNames)[number];

/** A shipped map (src/ingest/maps/shipped/), which is read only when a file may need it. */
const openShipped = <Map extends ImportMap | ObjectsMap>(name: ShippedMapName): (() => Map) =>
  once(() => readMap(readFileSync(join(__dirname, 'shipped', `${name}.yaml`), 'utf8'), name) as Map);

const shippedMap = <Name extends ShippedMapName>(name: Name): MapFormat<Name> =>
  new MapFormat(name, descriptions[name], openShipped<ImportMap>(name));

export const prestashop = shippedMap('prestashop');

/** PrestaShop's combinations are in another file. */
export const prestashopVariants = new VariantsFileFormat(prestashop, descriptions['prestashop-variants']);
export const squarespace = shippedMap('squarespace');
export const bigcommerce = shippedMap('bigcommerce');
export const magento = shippedMap('magento');
export const opencart = shippedMap('opencart');

export const shopwareOrders = new ObjectsMapFormat(
  'shopware-orders',
  descriptions['shopware-orders'],
  'orders',
  openShipped<ObjectsMap>('shopware-orders'),
);
