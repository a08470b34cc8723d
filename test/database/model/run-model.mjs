// `npm run model -- --minutes 10 [--seed S]`: the random model of writers and the staleness test, for longer than the test run does.
import { spawnSync } from 'node:child_process';
import { createRequire } from 'node:module';
import { parseArgs } from 'node:util';

const { values } = parseArgs({ options: { minutes: { type: 'string', default: '10' }, seed: { type: 'string' } } });
if (!(Number(values.minutes) > 0) || !/^\d{1,10}$/.test(values.seed ?? '0')) {
  console.error('usage: npm run model -- [--minutes NUMBER] [--seed INTEGER]');
  process.exit(2);
}
const { status } = spawnSync(
  process.execPath,
  [
    createRequire(import.meta.url).resolve('jest/bin/jest'),
    '--runInBand',
    'test/database/model',
    'test/graph/staleness',
  ],
  {
    stdio: 'inherit',
    env: {
      ...process.env,
      MODEL_MINUTES: values.minutes,
      SEED: values.seed ?? 'random',
    },
  },
);
process.exitCode = status ?? 1;
