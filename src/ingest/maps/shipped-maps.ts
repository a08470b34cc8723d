import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { once } from '../../common/once';
import { shippedMapNames, type FormatName } from '../formats/descriptions';
import { MapFormat } from './map-format';
import { readMap } from './read-map';

/** The formats of the shipped maps (src/ingest/maps/shipped/). Each map is read only when a file may need it. */
export const shippedMaps: readonly MapFormat<FormatName>[] = shippedMapNames.flatMap((name) => {
  const map = once(() => readMap(readFileSync(join(__dirname, 'shipped', `${name}.yaml`), 'utf8'), name));
  const format = new MapFormat<FormatName>(name, '', name === 'shopware-orders' ? 'order' : 'product', map);
  // PrestaShop's combinations are in another file.
  return name === 'prestashop'
    ? [format, new MapFormat<FormatName>('prestashop-variants', '', 'variant', map)]
    : format;
});
