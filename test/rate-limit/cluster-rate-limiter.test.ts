import { fork } from 'node:child_process';
import { once } from 'node:events';
import { resolve } from 'node:path';
import type { RateLimitDecision } from '../../src/rate-limit/rate-limiter';

it('shares a bucket exactly, with one message for the calls that a worker reads in two turns', async () => {
  const primary = fork(resolve(__dirname, 'cluster-process.ts'), {
    execArgv: ['--require', resolve(__dirname, '../support/typescript-hook.cjs')],
  });
  const [{ decisions, messages }] = (await once(primary, 'message')) as [
    { decisions: RateLimitDecision[]; messages: number },
  ];
  await once(primary, 'exit');
  expect(messages).toBe(4);
  expect(decisions.filter(({ admitted }) => admitted)).toHaveLength(120);
  const remaining = decisions.map((decision) => decision.remaining).sort((a, b) => b - a);
  expect(remaining).toEqual(Array.from({ length: 200 }, (_, index) => Math.max(119 - index, 0)));
});
