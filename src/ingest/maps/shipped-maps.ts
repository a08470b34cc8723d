import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { MapFormat } from './map-format';
import { readProductsMap } from './read-map';

export const shippedMapNames = ['prestashop', 'squarespace', 'bigcommerce', 'magento'] as const;
type ShippedMapName = (typeof shippedMapNames)[number];

/** The format of a shipped map, which is read only when a file may need it. */
export function shippedMap<Name extends ShippedMapName>(name: Name, description: string): MapFormat<Name> {
  let map: ReturnType<typeof readProductsMap> | undefined;
  return new MapFormat(
    name,
    description,
    () => (map ??= readProductsMap(readFileSync(join(__dirname, 'shipped', `${name}.yaml`), 'utf8'), name)),
  );
}
