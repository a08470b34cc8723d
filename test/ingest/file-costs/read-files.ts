import { readFileSync, writeFileSync } from 'node:fs';
import { createInterface } from 'node:readline';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { DroppedCounter } from '../../../src/ingest/dropped';
import { detectFormat } from '../../../src/ingest/detect-format';
import { explainFiles } from '../../../src/ingest/explain-files';
import { ImportError } from '../../../src/ingest/import-error';
import { openMap } from '../../../src/ingest/maps/open-map';
import { Problems } from '../../../src/ingest/problems';
import { SourceFile } from '../../../src/ingest/source/source-file';
import { SpreadsheetDamage } from '../../../src/ingest/spreadsheet-damage';

/** What it cost to read one file. */
export interface ReadingCost {
  /** Seconds of CPU time. */
  readonly cpuSeconds: number;
  /** Megabytes resident at most, above those after the first file. */
  readonly megabytes: number;
  readonly records: number;
  /** Why the file was refused; null if it was read to its end. */
  readonly refusal: string | null;
}

setFlagsFromString('--expose-gc');
const collectGarbage = runInNewContext('gc') as () => void;

const megabytesOf = (name: string): number =>
  Number(new RegExp(`^${name}:\\s+(\\d+) kB$`, 'm').exec(readFileSync('/proc/self/status', 'utf8'))?.[1]) / 1024;

/** Reads a file as an import does, without a database: what follows holds no more than a batch of records. */
async function readAll(file: string): Promise<number> {
  const source = await SourceFile.open(file);
  let records = 0;
  try {
    const { format } = await detectFormat(source, 'auto');
    const problems = new Problems();
    for await (const _ of format.read(source, {
      dropped: new DroppedCounter(),
      problems,
      damage: new SpreadsheetDamage(file),
      dateFormat: undefined,
      keepsIds: false,
      warn: () => undefined,
      noteColumns: () => undefined,
      variantsOf: () => Promise.resolve([]),
    }))
      records += 1;
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
};

async function measure(how: string, file: string, rest: number): Promise<ReadingCost> {
  collectGarbage();
  // Makes the current memory the peak (proc(5)).
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
  const cpuSeconds = (user + system) / 1_000_000;
  return { cpuSeconds, megabytes: Math.round(megabytesOf('VmHWM') - rest), records, refusal };
}

/** Reads one file for each line of its input, `import`, `explain` or `map` and a path, and prints a line of JSON with its cost. */
async function main(): Promise<void> {
  let rest: number | undefined;
  for await (const line of createInterface({ input: process.stdin })) {
    const [how = '', path = ''] = line.split(' ');
    const cost = await measure(how, path, rest ?? 0);
    // What the first file needed beside its content, such as code, is held anyway.
    collectGarbage();
    rest ??= megabytesOf('VmRSS');
    process.stdout.write(`${JSON.stringify(cost)}\n`);
  }
}

void main();
