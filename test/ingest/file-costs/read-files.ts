import { readFileSync, writeFileSync } from 'node:fs';
import { createInterface } from 'node:readline';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { detectFormat } from '../../../src/ingest/detect-format';
import { DroppedCounter } from '../../../src/ingest/formats/dropped';
import { LinkedRows } from '../../../src/ingest/formats/linked-rows';
import { explainFiles } from '../../../src/ingest/explain-files';
import { ImportError } from '../../../src/ingest/values/import-error';
import { openMap } from '../../../src/ingest/open-map';
import { Problems } from '../../../src/ingest/formats/problems';
import { SourceFile } from '../../../src/ingest/source/source-file';
import { SpreadsheetDamage } from '../../../src/ingest/formats/spreadsheet-damage';
import { suggestMap } from '../../../src/ingest/suggest-map';

/** What it cost to read a file. */
export interface ReadingCost {
  /** Seconds of CPU time. */
  readonly cpuSeconds: number;
  /** Peak resident megabytes above those before the first file, including what earlier files left. */
  readonly megabytes: number;
  readonly records: number;
  /** Why the file was refused; null if it was read to the end. */
  readonly refusal: string | null;
}

/** Reads a file as an import does, but without a database: batches are discarded. */
async function readAll(file: string): Promise<number> {
  const source = await SourceFile.open(file);
  let records = 0;
  try {
    const { format } = detectFormat(source, 'auto');
    const problems = new Problems();
    const damage = new SpreadsheetDamage(file, problems, false, '');
    for await (const record of format.read(source, {
      dropped: new DroppedCounter(),
      problems,
      dateFormat: undefined,
      domain: 'shop.example',
      asOf: new Date().toISOString(),
      keepsIds: false,
      isPartial: false,
      warn: () => undefined,
      noteColumns: () => undefined,
      joined: new LinkedRows(),
    })) {
      damage.examine(record);
      records += 1;
    }
    problems.throwAny();
    return records;
  } finally {
    await source.close();
  }
}

const readers: Readonly<Record<string, (file: string) => Promise<unknown>>> = {
  import: readAll,
  explain: (file) => explainFiles({ files: [file], format: 'auto' }),
  map: openMap,
  suggest: (file) => suggestMap(file, {}),
};

setFlagsFromString('--expose-gc');
const collectGarbage = runInNewContext('gc') as () => void;

/** Megabytes, by a field name of proc(5). */
const megabytesOf = (name: string): number =>
  Number(new RegExp(`^${name}:\\s+(\\d+) kB$`, 'm').exec(readFileSync('/proc/self/status', 'utf8'))?.[1]) / 1024;

async function measure(how: string, file: string, rest: number): Promise<ReadingCost> {
  // Resets the peak to the current memory.
  writeFileSync('/proc/self/clear_refs', '5');
  const started = process.cpuUsage();
  let records = 0;
  let refusal: string | null = null;
  try {
    const read = await readers[how]?.(file);
    records = typeof read === 'number' ? read : 0;
  } catch (error) {
    if (!(error instanceof ImportError)) throw error;
    refusal = error.message;
  }
  const { user, system } = process.cpuUsage(started);
  const megabytes = Math.round(megabytesOf('VmHWM') - rest);
  collectGarbage();
  return { cpuSeconds: (user + system) / 1_000_000, megabytes, records, refusal };
}

/**
 * For each line of input, `import`, `explain`, `map` or `suggest` and a path: reads that file and prints a line of JSON
 * with its cost.
 */
async function main(): Promise<void> {
  collectGarbage();
  const rest = megabytesOf('VmRSS');
  for await (const line of createInterface({ input: process.stdin })) {
    const [how = '', path = ''] = line.split(' ');
    process.stdout.write(`${JSON.stringify(await measure(how, path, rest))}\n`);
  }
}

void main();
