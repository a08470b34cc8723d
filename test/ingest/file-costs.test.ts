import { mkdtempSync, rmSync } from 'node:fs';
import { writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { createRandom } from '../support/random';
import { runSeed } from '../support/run-seed';
import { spawnTypeScript } from '../support/run-typescript';
import { containerShapes, csvShapes, jsonShapes, mapShapes, workbookMarkup, workbookShapes, type GrowingFile } from './file-costs/growing-files'; // prettier-ignore
import type { ReadingCost } from './file-costs/read-files';

/** What any file may take beside what the program itself takes. */
const maxMegabytes = 200;

/** A file grows until it reaches this size or takes this long: what is quadratic, or held, has shown itself by then. */
const maxBytes = 8_000_000;
const enoughSeconds = 0.3;

/** Four times the bytes may take this many times the time: sixteen would be quadratic. */
const maxRatio = 10;

const random = createRandom(runSeed);
const directory = mkdtempSync(join(tmpdir(), 'file-costs-'));

/** A process that reads files, as it would in imports that follow each other. */
function startReader() {
  const child = spawnTypeScript('ingest/file-costs/read-files.ts', []);
  let errors = '';
  child.stderr?.on('data', (chunk: Buffer) => (errors += chunk.toString()));
  const answers = createInterface({ input: child.stdout as NodeJS.ReadableStream })[Symbol.asyncIterator]();
  return {
    async read(how: string, content: Buffer): Promise<ReadingCost> {
      const path = join(directory, 'file');
      await writeFile(path, content);
      child.stdin?.write(`${how} ${path}\n`);
      const answer = await answers.next();
      if (answer.done === true) throw new Error(`the reader ended: ${errors.slice(-1000)}`);
      return JSON.parse(answer.value) as ReadingCost;
    },
    end: () => child.stdin?.end(),
  };
}

const table = Buffer.from('Handle,Title,Variant Price\na,A,1\n');

let reader: ReturnType<typeof startReader>;
beforeAll(async () => {
  reader = startReader();
  await reader.read('import', table);
});
afterAll(() => {
  reader.end();
  rmSync(directory, { recursive: true, force: true });
});

/** A place in the file, or the part of it that is too large, and the bound. */
const hasReason = /line \d|\d{2,}|^\S+: [a-z]/;

async function check(shape: GrowingFile, how: string, largest: number): Promise<void> {
  const unit = random.pick(['x', ' ', 'é', '漢', '😀', '&#38;']);
  const costs: ReadingCost[] = [];
  for (let size = largest / 8; size <= largest; size *= 2) {
    const cost = await reader.read(how, shape.make(size, unit));
    costs.push(cost);
    expect({ unit, size, megabytes: cost.megabytes < maxMegabytes || cost.megabytes }).toEqual({ unit, size, megabytes: true }); // prettier-ignore
    if (cost.refusal !== null) expect(cost.refusal).toMatch(hasReason);
    if (cost.cpuSeconds > enoughSeconds) break;
  }
  const [quarter, , whole] = costs.slice(-3).map(({ cpuSeconds }) => cpuSeconds);
  if (quarter === undefined || whole === undefined || whole < enoughSeconds) return;
  expect({ unit, ratio: whole / Math.max(quarter, 0.03) < maxRatio || costs }).toEqual({ unit, ratio: true });
}

/** Each kind of markup in one place of a workbook; the attacks (test/attack) try all. */
const someMarkup = random
  .shuffled(workbookMarkup)
  .filter(({ name }, index, all) => all.findIndex((other) => other.name.startsWith(kindOf(name))) === index);

function kindOf(name: string): string {
  return name.replace(/ (?:before the rows|in |behind the|between ).*$/, ' ');
}

const files = [...csvShapes, ...jsonShapes, ...containerShapes, ...workbookShapes, ...someMarkup];

describe('a file of which one dimension grows', () => {
  it.each(files.map((shape) => [shape.name, shape] as const))(
    'takes little memory and time in proportion: %s',
    (_, shape) => check(shape, 'import', maxBytes),
    120_000,
  );

  it.each(random.shuffled(files).slice(0, 10).map((shape) => [shape.name, shape] as const))(
    'takes as little when it is explained: %s',
    (_, shape) => check(shape, 'explain', maxBytes),
    120_000,
  ); // prettier-ignore

  it.each(mapShapes.map((shape) => [shape.name, shape] as const))(
    'takes little memory and time in proportion: %s',
    (_, shape) => check(shape, 'map', 64_000),
    120_000,
  );
});
