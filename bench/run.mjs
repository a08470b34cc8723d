// `npm run trial -- NAME [--short] [--seed N] [--minutes N] [PART…]`: runs a trial, a program that takes minutes.
// Prints a line for each thing it tried. A whole run writes results/NAME.json; a short one, or one of parts, writes
// nothing. Exits with 1 if a promise was broken, with 2 on wrong usage.
import { execFileSync } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { availableParallelism, cpus, totalmem } from 'node:os';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';

const require = createRequire(import.meta.url);
require('../test/support/typescript-hook.cjs');
// The embedded PostgreSQL runs in its own process, which compiles TypeScript as well.
require('../test/support/fork-typescript.cjs');
const root = fileURLToPath(new URL('../', import.meta.url));

const trials = {
  faults: () => require('./faults/faults.ts').trial,
  soak: () => require('./soak.ts').trial,
  attack: () => require('./attack/attack-trial.ts').trial,
  model: () => require('./model.ts').trial,
  bench: async () => (await import('./speed/bench.mjs')).trial,
  figures: async () => (await import('./speed/figures.mjs')).trial,
  import: async () => (await import('./speed/import.mjs')).trial,
  'flame-graph': async () => (await import('./speed/flame-graph.mjs')).trial,
  writes: async () => (await import('./speed/writes.mjs')).trial,
};

const usage = `Usage: npm run trial -- NAME [--short] [--seed N] [--minutes N] [--list] [PART…]\nNAME: ${Object.keys(trials).join(', ')}`;

function fail(problem) {
  console.error(`${problem}\n${usage}`);
  process.exit(2);
}

function readArguments() {
  const text = { type: 'string' };
  const flag = { type: 'boolean', default: false };
  const options = { short: flag, list: flag, seed: { ...text, default: String(Date.now() % 2 ** 31) }, minutes: text };
  try {
    return parseArgs({ options, allowPositionals: true });
  } catch (error) {
    return fail(error.message);
  }
}

const { values, positionals } = readArguments();
const [name, ...parts] = positionals;
if (name === undefined || !Object.hasOwn(trials, name))
  fail(name === undefined ? 'Expected the name of a trial.' : `There is no trial ${name}.`);
if (!/^\d{1,10}$/.test(values.seed)) fail(`--seed must be 1 to 10 digits, got \`${values.seed}\`.`);
if (values.minutes !== undefined && !(Number(values.minutes) > 0)) fail('--minutes must be a number above 0.');

execFileSync(process.execPath, [`${root}scripts/build.mjs`, '--if-needed'], {
  stdio: ['ignore', 'inherit', 'inherit'],
});
const trial = await trials[name]();
const unknown = parts.filter((part) => !trial.parts.includes(part));
if (unknown.length > 0) fail(`${name} has no part ${unknown.join(', ')}; it has ${trial.parts.join(', ') || 'none'}.`);
if (values.list) {
  console.log(`${name}: ${trial.what}`);
  for (const part of trial.parts) console.log(`  ${part}`);
  process.exit(0);
}

const seed = Number(values.seed);
const rows = [];
const others = await trial.run(
  {
    parts: parts.length > 0 ? parts : trial.parts,
    isShort: values.short,
    seed,
    minutes: values.minutes === undefined ? undefined : Number(values.minutes),
  },
  (row) => {
    rows.push(row);
    const promise = trial.isBenchmark && row.promise !== undefined ? ` (${row.promise})` : '';
    console.log(`${row.isKept ? 'kept  ' : 'BROKEN'} ${row.what}: ${row.measured}${promise}`);
    for (const line of row.details ?? []) console.log(`       ${line}`);
  },
);
const broken = rows.filter(({ isKept }) => !isKept);
console.log(
  `${rows.length - broken.length} of ${rows.length} kept; seed ${seed}` +
    (broken.length === 0 ? '' : `; broken: ${broken.map(({ what }) => what).join('; ')}`),
);
if (!values.short && parts.length === 0 && name !== 'flame-graph') {
  const document = {
    measuredAt: new Date().toISOString(),
    machine: {
      cpu: cpus()[0].model,
      cores: availableParallelism(),
      memoryGigabytes: Math.round(totalmem() / 2 ** 30),
    },
    node: process.version,
    seed,
    rows: rows.map((row) => ({ ...row, details: undefined })),
    ...others,
  };
  const rounded = (_, value) =>
    typeof value === 'number' && !Number.isInteger(value) ? Number(value.toPrecision(4)) : value;
  writeFileSync(`${root}bench/results/${name}.json`, `${JSON.stringify(document, rounded, 2)}\n`);
}
process.exit(broken.length === 0 || trial.isBenchmark ? 0 : 1);
