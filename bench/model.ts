import { spawnSync } from 'node:child_process';
import type { Trial } from './trial';

/** Runs the random model of writers and the search for stale responses for longer than the tests do. */
export const trial: Trial = {
  what: 'random writers compared with a model of the catalog, and readers that look for stale responses',
  parts: [],
  run({ minutes = 10, seed, isShort }, report) {
    const lasts = isShort ? 0.1 : minutes;
    const { status } = spawnSync(
      process.execPath,
      [require.resolve('jest/bin/jest'), '--runInBand', 'test/model', 'test/graph/staleness'],
      { stdio: 'inherit', env: { ...process.env, MODEL_MINUTES: String(lasts), SEED: String(seed) } },
    );
    report({
      what: 'random writers and readers',
      load: `${lasts} minutes, seed ${seed}`,
      promise: 'every read matches the model; none is older than the previous version',
      measured: status === 0 ? 'no contradiction' : 'a contradiction, printed above',
      isKept: status === 0,
    });
    return Promise.resolve();
  },
};
