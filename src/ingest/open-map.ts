import { createReadStream } from 'node:fs';
import { formats } from './formats';
import { shippedMapNames } from './formats/descriptions';
import type { Format } from './formats/format';
import { ImportError } from './values/import-error';
import { MapFormat } from './maps/map-format';
import { maxMapBytes } from './maps/map-node';
import { readMap, type ImportMap } from './maps/read-map';

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

async function readMapFile(path: string): Promise<string> {
  try {
    // Devices and pipes have no size: reading stops once it is too much.
    const chunks: Buffer[] = [];
    for await (const chunk of createReadStream(path, { end: maxMapBytes })) chunks.push(chunk as Buffer);
    const bytes = Buffer.concat(chunks);
    if (bytes.length > maxMapBytes)
      throw new ImportError(`${path}: expected a mapping file of at most ${maxMapBytes} bytes, got more`);
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes);
  } catch (error) {
    if (error instanceof ImportError) throw error;
    const isText = error instanceof TypeError;
    const code = (error as NodeJS.ErrnoException).code;
    const reason = isText
      ? 'it is not UTF-8'
      : code === 'ENOENT'
        ? 'no such file'
        : code === 'EISDIR'
          ? 'it is a directory'
          : 'it cannot be read';
    throw new ImportError(
      `${path}: expected the path of a mapping file, or one of ${shippedMapNames.join(', ')}; ${reason}`,
      {
        cause: error,
      },
    );
  }
}
