import { fork } from 'node:child_process';
import { once } from 'node:events';
import { resolve } from 'node:path';

it('shares a bucket exactly, with one message for the calls that a worker reads at once', async () => {
  const primary = fork(resolve(__dirname, 'cluster-process.ts'), ['4', '50'], {
    execArgv: ['--require', resolve(__dirname, '../support/typescript-hook.cjs')],
  });
  const [results] = (await once(primary, 'message')) as [
    readonly { admitted: number; messages: number; remaining: readonly number[] }[],
  ];
  await once(primary, 'exit');
  expect(results.map(({ messages }) => messages)).toEqual([1, 1, 1, 1]);
  expect(results.reduce((sum, { admitted }) => sum + admitted, 0)).toBe(120);
  const remaining = results.flatMap((result) => result.remaining).sort((a, b) => b - a);
  expect(remaining.slice(0, 121)).toEqual(Array.from({ length: 121 }, (_, index) => Math.max(119 - index, 0)));
});
