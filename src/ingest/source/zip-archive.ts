import { crc32 } from 'node:zlib';
import { type Entry, fromFdPromise, type ZipFile } from 'yauzl';
import { ImportError } from '../values/import-error';
import { checkExpansion, damaged } from './compressed';
import { quotedName } from '../values/display-names';
import type { RawFile } from './raw-file';

/** A workbook has a few dozen entries, and at most one image for each product. */
const maxEntries = 20_000;

/** The directory of an archive is held in memory, at about a hundred bytes per entry. */
const maxDirectoryBytes = 8 * 1024 * 1024;

/** A zip archive: its directory, and its files one at a time. Nothing is ever extracted to a path. */
export class ZipArchive {
  private constructor(
    private readonly raw: RawFile,
    private readonly size: number,
    private readonly zip: ZipFile,
    private readonly entries: ReadonlyMap<string, Entry>,
  ) {}

  static async open(raw: RawFile): Promise<ZipArchive> {
    const { handle, size } = await raw.randomAccess();
    const entries = new Map<string, Entry>();
    let count = 0;
    let bytes = 0;
    try {
      const zip = await fromFdPromise(handle.fd, { autoClose: false });
      for await (const entry of zip.eachEntry()) {
        count += 1;
        bytes += entry.fileNameLength + entry.extraFieldLength + entry.fileCommentLength;
        if (count > maxEntries || bytes > maxDirectoryBytes) {
          throw new ImportError(
            `${raw.name}: expected a zip archive with a single file, or a workbook with at most ${maxEntries} entries and ${maxDirectoryBytes} bytes of file names`,
          );
        }
        if (entry.fileName.endsWith('/')) continue;
        const key = entry.fileName.toLowerCase();
        if (entries.has(key)) throw new ImportError(`${raw.name}: two files of the zip archive have the same name`);
        entries.set(key, entry);
      }
      return new ZipArchive(raw, size, zip, entries);
    } catch (error) {
      throw error instanceof ImportError ? error : damaged(raw.name, 'zip archive', error);
    }
  }

  /** The files' names, without those that operating systems add. */
  get names(): readonly string[] {
    return [...this.entries.values()]
      .map(({ fileName }) => fileName)
      .filter((name) => !/^__MACOSX\/|(?:^|\/)(?:\.DS_Store|Thumbs\.db|desktop\.ini)$/i.test(name));
  }

  /** The name of a file as the archive writes it: references to it may differ in case. */
  pathOf(name: string): string | undefined {
    return this.entries.get(name.toLowerCase())?.fileName;
  }

  /** The expanded size of a file that the archive declares; reading fails when it is wrong. */
  expandedSize(name: string): number {
    return this.entries.get(name.toLowerCase())?.uncompressedSize ?? 0;
  }

  /** The content of one file. */
  async *read(name: string): AsyncGenerator<Buffer, void, void> {
    const { raw } = this;
    const entry = this.entries.get(name.toLowerCase());
    if (!entry) throw damaged(raw.name, 'zip archive', undefined);
    if (entry.isEncrypted()) {
      throw new ImportError(`${raw.name}: the zip archive is password-protected; unzip it and import the file`);
    }
    if (entry.compressionMethod !== 0 && entry.compressionMethod !== 8) {
      throw new ImportError(
        `${raw.name}: the zip archive is compressed by a method other than DEFLATE; unpack it and import the file`,
      );
    }
    const compressed = Math.min(entry.compressedSize, this.size);
    let checksum = 0;
    let total = 0;
    try {
      const stream = await this.zip.openReadStreamPromise(entry);
      try {
        for await (const chunk of checkExpansion(
          stream as AsyncIterable<Buffer>,
          () => compressed,
          `${raw.name}: ${quotedName(entry.fileName)}`,
        )) {
          checksum = crc32(chunk, checksum);
          total += chunk.length;
          raw.bytesRead = Math.round((this.size * total) / Math.max(total, entry.uncompressedSize));
          yield chunk;
        }
      } finally {
        stream.destroy();
      }
      if (checksum !== entry.crc32) throw new Error('wrong checksum');
    } catch (error) {
      throw error instanceof ImportError ? error : damaged(raw.name, 'zip archive', error);
    }
  }
}
