import { spawnSync } from 'node:child_process';
import { join } from 'node:path';
import { compiledBefore } from '../support/compiled-before';

const root = join(__dirname, '../..');

/** The files that a request passes through at most: a change that needs more has to say why, here. */
const most = { 'GET /v1/products?q&cursor: 200': 45, 'the same without the scope: 403': 38, 'POST /oauth/token: 200': 33 }; // prettier-ignore

it('no request passes through more files than it did', () => {
  const { stdout, stderr, status } = spawnSync(process.execPath, ['docs/journey.mjs', '--count'], {
    cwd: root,
    encoding: 'utf8',
    env: { ...compiledBefore, PATH: process.env['PATH'], HOME: process.env['HOME'] },
  });
  expect({ status, stderr }).toMatchObject({ status: 0 });
  const counts = Object.fromEntries(
    [...stdout.matchAll(/^(.+), (\d+) files$/gm)].map(([, journey = '', count]) => [journey, Number(count)]),
  );
  expect(Object.keys(counts)).toEqual(Object.keys(most));
  expect(Math.min(...Object.values(counts))).toBeGreaterThan(20);
  for (const [journey, count] of Object.entries(counts))
    expect({ journey, isLonger: count > most[journey as keyof typeof most] && count }).toEqual({ journey, isLonger: false }); // prettier-ignore
});
