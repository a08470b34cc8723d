import { isUtf8 } from 'node:buffer';
import { formats } from './formats';
import { shippedMapNames } from './formats/descriptions';
import type { Format } from './formats/format';
import { ImportError } from './values/import-error';
import { MapFormat } from './maps/map-format';
import { maxMapBytes } from './maps/map-node';
import { readMap, type ImportMap } from './maps/read-map';
import { RawFile } from './source/raw-file';

/**
 * The formats of a map: that of its products, orders or collections, and that of variants if these are in a separate
 * file.
 * @param wanted the name of a shipped map, or the path of a file
 * @throws ImportError
 */
export async function openMap(wanted: string): Promise<readonly Format[]> {
  const shipped = formats.filter(({ name }) => name === wanted || name === `${wanted}-variants`);
  if (shippedMapNames.some((name) => name === wanted)) return shipped;
  return formatsOf(readMap(await readMapFile(wanted), wanted));
}

function formatsOf(map: ImportMap): readonly Format[] {
  const description = `a table with the columns of the mapping file ${map.source}`;
  const kind = map.order ? 'order' : map.collection ? 'collection' : 'product';
  const { variants_file: file } = map;
  return [
    new MapFormat(map.name, description, kind, () => map),
    ...(file ? [new MapFormat(`${map.name}-variants`, file.title ?? description, 'variant', () => map)] : []),
  ];
}

/** Devices and pipes have no size: reading stops once it is too much. */
async function readMapFile(path: string): Promise<string> {
  const file = await RawFile.open(path).catch((error: unknown) => {
    throw new ImportError(
      `${(error as Error).message}; expected the path of a mapping file, or one of ${shippedMapNames.join(', ')}`,
    );
  });
  try {
    const chunks: Buffer[] = [];
    for await (const chunk of file.chunks()) {
      chunks.push(chunk);
      if (file.bytesRead > maxMapBytes) break;
    }
    const bytes = Buffer.concat(chunks);
    if (bytes.length <= maxMapBytes && !isUtf8(bytes)) throw new ImportError(`${path}: expected UTF-8`);
    return bytes.toString();
  } finally {
    await file.close();
  }
}
