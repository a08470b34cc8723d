import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createWriteStream } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Attack, Scene } from '../attack';
import { readFigures } from '../process-figures';
import type { Random } from '../../../test/support/random';
import { containerShapes, csvShapes, jsonShapes, workbookMarkup } from '../../../test/ingest/file-costs/growing-files'; // prettier-ignore
import { formatShapes } from '../../../test/ingest/file-costs/growing-samples';
import { heapMegabytes, residentBoundMegabytes } from '../verdict';

const root = join(__dirname, '../../..');
const timeoutMilliseconds = 60_000;

interface HostileFile {
  readonly name: string;
  readonly extension: 'ndjson' | 'csv' | 'xlsx' | 'any';
  /** Pieces, so that this process need not hold the file. */
  content(random: Random, scale: number): Iterable<string | Buffer>;
}

const product = (members: string): string =>
  `{"type":"product","external_id":"1","title":"A","created_at":"2026-01-01T00:00:00Z","updated_at":"2026-01-01T00:00:00Z"${members}}\n`;

const csvHeader = 'Handle,Title,Body (HTML),Vendor,Tags,Published,Option1 Name,Option1 Value,Variant Price,Image Src\n';

function* repeated(piece: string, count: number): Iterable<string> {
  const block = piece.repeat(Math.min(count, Math.ceil(65_536 / piece.length)));
  for (let left = count; left > 0; left -= block.length / piece.length)
    yield left * piece.length < block.length ? piece.repeat(left) : block;
}

/** The most harmful first: a short run gets no further. `scale` is 1, or less in a short run. */
const files: readonly HostileFile[] = [
  {
    name: 'a workbook with one comment',
    extension: 'xlsx',
    *content(random, scale) {
      const shape = workbookMarkup.find(({ name }) => name === 'workbook: a comment before the rows');
      yield shape?.make(130_000_000 * scale, random.pick(['x', '漢'])) ?? '';
    },
  },
  {
    name: 'arrays within arrays',
    extension: 'ndjson',
    *content(_random, scale) {
      const depth = 3_000_000 * scale;
      yield product('');
      yield '{"type":"product","tags":';
      yield* repeated('[', depth);
      yield* repeated(']', depth);
      yield '}\n';
    },
  },
  {
    name: 'objects within objects',
    extension: 'ndjson',
    *content(random, scale) {
      const depth = random.integer(10_000, 400_000) * scale;
      yield '{"type":"product","variants":';
      yield* repeated('{"a":', depth);
      yield '1';
      yield* repeated('}', depth);
      yield '}\n';
    },
  },
  {
    name: 'a line without an end',
    extension: 'ndjson',
    *content(random, scale) {
      yield '{"type":"product","title":"';
      yield* repeated(random.word(10), 10_000_000 * scale);
    },
  },
  {
    name: 'quotes that never close',
    extension: 'csv',
    *content(_random, scale) {
      yield csvHeader;
      yield 'a,"';
      yield* repeated('"",""\n', 8_000_000 * scale);
    },
  },
  {
    name: 'a long value on every line',
    extension: 'ndjson',
    *content(random, scale) {
      for (let line = 0; line < 40 * scale; line++) {
        yield product(`,"description_html":"${random.word(1).repeat(4_000_000)}"`).replace('"1"', `"${line}"`);
      }
    },
  },
  {
    name: 'a million tags, options and numbers',
    extension: 'ndjson',
    *content(random, scale) {
      yield product(`,"tags":[${random.list(500_000 * scale, () => '"a"').join()}]`);
      yield product(`,"total_stock":${'9'.repeat(1_000_000 * scale)}`);
      yield product(`,"variants":[${random.list(100_000 * scale, () => '{}').join()}]`);
    },
  },
  {
    name: 'members beyond number',
    extension: 'ndjson',
    *content(random, scale) {
      yield product(
        `,${random.list(300_000 * scale, (i) => `"${random.word(4)}${i}":${i}`).join()},"__proto__":{"a":1}`,
      );
    },
  },
  {
    name: 'escapes and NULs',
    extension: 'ndjson',
    *content(_random, scale) {
      yield product(`,"title":"${'\\u0000\\ud800'.repeat(200_000 * scale)}"`);
    },
  },
  {
    name: 'quotes within quotes',
    extension: 'csv',
    *content(random, scale) {
      yield csvHeader;
      yield* repeated(
        `a,"${'""'.repeat(random.integer(10, 500))}",,,"${'"",""'.repeat(20)}",true,,,1,\n`,
        20_000 * scale,
      );
    },
  },
  {
    name: 'columns beyond number',
    extension: 'csv',
    *content(random, scale) {
      yield csvHeader.trimEnd();
      yield* random.list(400_000 * scale, (i) => `,c${i}`);
      yield '\n';
      yield* repeated(`${','.repeat(10_000)}\n`, 2_000 * scale);
    },
  },
  {
    name: 'one product of endless rows',
    extension: 'csv',
    *content(_random, scale) {
      yield csvHeader;
      for (let row = 0; row < 400_000 * scale; row++) yield `one,${row === 0 ? 'A' : ''},,,,true,Size,v${row},1.00,\n`;
    },
  },
  {
    name: 'one product of large rows',
    extension: 'csv',
    *content(random, scale) {
      yield csvHeader;
      const filler = random.pick([' ', 'x', '漢', '\u0001']).repeat(random.integer(5_000, 400_000));
      const column = random.integer(1, 3);
      for (let row = 0; row < (300_000_000 * scale) / filler.length; row++) {
        const options = [row === 0 ? 'A' : '', filler, ''];
        yield `one,${options[column] ?? ''},,,,true,Size,"${filler}v${row}long enough to be a slice${filler}",1.00,\n`;
      }
    },
  },
  {
    name: 'handles without number',
    extension: 'csv',
    *content(random, scale) {
      yield csvHeader;
      const tail = random.word(1).repeat(random.integer(100, 1_500));
      for (let row = 0; row < 25_000 * scale; row++) yield `h${row}${tail},A,,,,true,,,,\n`;
    },
  },
  {
    name: 'a header of commas',
    extension: 'csv',
    *content(random, scale) {
      yield csvHeader.trimEnd();
      yield* repeated(',', random.integer(1_000_000, 16_000_000) * scale);
      yield '\n';
      for (let row = 0; row < 20; row++) {
        yield* repeated(',', random.integer(1_000_000, 16_000_000) * scale);
        yield '\n';
      }
    },
  },
  {
    name: 'a row of endless cells over many lines',
    extension: 'csv',
    *content(random, scale) {
      yield csvHeader;
      yield* repeated(`"\n"${','.repeat(random.integer(1, 1_000))}`, 200_000 * scale);
      yield '\n';
    },
  },
  {
    name: 'a cell without an end over many lines',
    extension: 'csv',
    *content(random, scale) {
      yield csvHeader;
      yield `a,A,"`;
      yield* repeated(`${random.word(random.integer(1, 60))}\n`, 3_000_000 * scale);
      yield `",,,true,,,1,\n`;
    },
  },
  {
    name: 'orders of long names',
    extension: 'csv',
    *content(random, scale) {
      yield 'Name,Created at,Total,Lineitem name,Lineitem quantity\n';
      const tail = random.word(1).repeat(random.integer(10, 500));
      for (let row = 0; row < 25_000 * scale; row++) yield `#${row}${tail},2026-01-01 00:00:00 +0000,1.00,a,1\n`;
      yield* repeated(`#last,2026-01-01 00:00:00 +0000,1.00,${'x'.repeat(1_000)},1\n`, 100_000 * scale);
    },
  },
  {
    name: 'small values by the million on one line',
    extension: 'ndjson',
    *content(random, scale) {
      const [open, piece, close] = random.pick([
        ['{"type":"product","tags":[', '1,', '1]}\n'],
        ['{"type":"product","variants":[', '{},', '{}]}\n'],
        ['{"type":"product","variants":[', '[],', '[]]}\n'],
        ['{"type":"product","x":[', '"",', '""]}\n'],
        ['{"type":"product","x":[{', '"a":1,', '"a":1}]}\n'],
        ['[', '1,', '1]\n'],
      ] as const);
      if (random.chance(0.5)) yield product('');
      yield open;
      yield* repeated(piece, (16_000_000 * scale) / piece.length);
      yield close;
    },
  },
  {
    name: 'new names on every line',
    extension: 'ndjson',
    *content(random, scale) {
      const name = random.word(1).repeat(random.integer(1_000, 2_000_000));
      for (let line = 0; line < (400_000_000 * scale) / name.length / 4; line++)
        yield product(`,"${name}${line}":1`).replace('"1"', `"${line}"`);
    },
  },
  {
    name: 'products as large as they may be',
    extension: 'ndjson',
    *content(random, scale) {
      const text = random.pick(['x', 'é', '漢', '\\u0001']);
      const description = text.repeat(Math.floor(1_000_000 / (text.length === 1 ? Buffer.byteLength(text) : 3)));
      for (let line = 0; line < 60 * scale; line++)
        yield product(`,"description_html":"${description}"`).replace('"1"', `"${line}"`);
    },
  },
];

/** Other dimensions of files than those above, and many more, each as large as it takes to hold too much. */
const growing = (random: Random): readonly HostileFile[] =>
  random
    .shuffled([
      ...workbookMarkup,
      ...Object.values(containerShapes).flat(),
      ...csvShapes,
      ...jsonShapes,
      ...formatShapes.flatMap(({ counts, values }) => [...counts, ...random.shuffled(values).slice(0, 5)]),
    ])
    .slice(0, growingCount)
    .map(({ name, make }) => ({
      name,
      extension: 'any',
      *content(_random, scale) {
        yield make(growingBytes * scale, random.pick(['x', ' ', 'é', '漢', '&#38;']));
      },
    }));

const growingCount = 20;
const growingBytes = 64_000_000;

const shortCount = 5;

interface Ended {
  readonly code: number | null;
  readonly signal: string | null;
  readonly output: string;
  /** Megabytes. */
  readonly peak: number;
}

/** The command line with as little memory as the service, as an operator who runs an import would start it. */
async function runImport(file: string, { ownerUrl, shop }: Scene): Promise<Ended> {
  const child = spawn(process.execPath, ['dist/src/cli/main.js', 'import', file, '--shop', shop.domain, '--json'], {
    cwd: root,
    stdio: ['ignore', 'pipe', 'pipe'],
    env: {
      PATH: process.env['PATH'],
      DATABASE_URL: ownerUrl,
      NODE_OPTIONS: `--max-old-space-size=${heapMegabytes}`,
      LOG_LEVEL: 'warn',
    },
  });
  let output = '';
  for (const stream of [child.stdout, child.stderr])
    stream.on('data', (chunk: Buffer) => (output = (output + chunk.toString()).slice(-100_000)));
  let peak = 0;
  const watch = setInterval(() => (peak = Math.max(peak, readFigures(child.pid ?? 0)?.peak ?? 0)), 50);
  const timeout = setTimeout(() => child.kill('SIGKILL'), timeoutMilliseconds);
  const interrupted = () => child.kill('SIGKILL');
  process.once('exit', interrupted);
  const [code, signal] = (await once(child, 'exit')) as [number | null, string | null];
  process.off('exit', interrupted);
  clearTimeout(timeout);
  clearInterval(watch);
  return { code, signal, output, peak };
}

export const hostileImports: Attack = {
  name: 'hostile-imports',
  what: 'files with JSON nested a million times, unbounded lines, values of megabytes, quotes that never close, comments of workbooks',
  target: 'plain',
  seconds: { full: 300, short: 15 },
  async run(scene) {
    const { attacker, random, fail, note, isShort } = scene;
    const directory = await mkdtemp(join(tmpdir(), 'catalog-attack-'));
    try {
      for (const { name, extension, content } of isShort
        ? files.slice(0, shortCount)
        : [...files, ...growing(random)]) {
        if (!isShort && !scene.goesOn()) {
          note(`no time for: ${name}`);
          continue;
        }
        const path = join(directory, `hostile.${extension}`);
        const stream = createWriteStream(path);
        for (const piece of content(random, isShort ? 0.1 : 1)) {
          attacker.cost.bytesSent += piece.length;
          if (!stream.write(piece)) await once(stream, 'drain');
        }
        stream.end();
        await once(stream, 'close');
        attacker.cost.requests++;
        const { code, signal, output, peak } = await runImport(path, scene);
        attacker.countStatus(signal === null ? `exit ${code}` : signal);
        // That the time grows with the size alone is shown by file-costs.slow.test.ts; a whole import may take longer.
        if (signal === 'SIGKILL' && extension === 'any') note(`not read to its end in a minute: ${name}`);
        else if (signal !== null || (code !== 0 && code !== 1)) fail(`the import ends with ${signal ?? code}`, name);
        if (/RangeError|heap out of memory|Maximum call stack|\n\s+at /.test(output))
          fail('the import tells of a fault of its own', `${name}: ${output.slice(-200).trim()}`);
        // What is wrong with a container, or with XML, is on no line.
        if (code === 1 && extension !== 'xlsx' && extension !== 'any' && !/\bline \d|:\d+:|"line"/.test(output))
          fail('the refusal of an import names no line', `${name}: ${output.slice(0, 200).trim()}`);
        if (peak > residentBoundMegabytes)
          fail(`an import takes more than ${residentBoundMegabytes} MB`, `${name}: ${peak}`);
      }
    } finally {
      await rm(directory, { recursive: true, force: true });
    }
  },
};
