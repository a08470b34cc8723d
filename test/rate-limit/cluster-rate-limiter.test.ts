import { fork } from 'node:child_process';
import { once } from 'node:events';
import { resolve } from 'node:path';
import type { Decisions } from './cluster-process';

it('shares buckets exactly and in the order of the calls, with one message for the calls that a worker reads in two turns', async () => {
  const primary = fork(resolve(__dirname, 'cluster-process.ts'), {
    execArgv: ['--require', resolve(__dirname, '../support/typescript-hook.cjs')],
  });
  const [{ decisions, messages }] = (await once(primary, 'message')) as [{ decisions: Decisions[]; messages: number }];
  await once(primary, 'exit');
  expect(messages).toBe(4);
  for (const bucket of ['a', 'b'] as const) {
    const all = decisions.flatMap((worker) => worker[bucket]);
    expect(all.filter(({ admitted }) => admitted)).toHaveLength(120);
    const remaining = all.map((decision) => decision.remaining).sort((one, other) => other - one);
    expect(remaining).toEqual(Array.from({ length: 200 }, (_, index) => Math.max(119 - index, 0)));
    for (const worker of decisions) {
      const own = worker[bucket].map((decision) => decision.remaining);
      expect(own).toEqual([...own].sort((one, other) => other - one));
    }
  }
});
