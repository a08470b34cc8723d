import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { setTimeout as delay } from 'node:timers/promises';
import { askGraphql } from '../support/graphql-client';
import { isAlive } from '../support/processes';

jest.setTimeout(300_000);

it('npm run example is one graph of three subgraphs, and ends with all its processes', async () => {
  const directory = mkdtempSync(join(tmpdir(), 'catalog-example-'));
  const example = spawn('npm', ['run', '-s', 'example'], {
    cwd: join(__dirname, '../..'),
    env: { PATH: process.env['PATH'], PORT: '0', DATA_DIR: directory, LOG_LEVEL: 'warn' },
    stdio: ['ignore', 'pipe', 'inherit'],
    // A separate process group, as at a terminal, so that Ctrl-C reaches it.
    detached: true,
  });
  const ended = once(example, 'exit');
  const group = example.pid as number;
  try {
    let [origin, key] = ['', ''];
    for await (const line of createInterface(example.stdout)) {
      origin ||= /listening on (http:[^\s"]+)/.exec(line)?.[1] ?? '';
      key ||= /\bck_[^'\s]+/.exec(line)?.[0] ?? '';
      if (origin !== '' && key !== '') break;
    }
    example.stdout.resume();
    const query = '{ products(first: 2) { nodes { title averageRating deliveryDays } } }';
    expect(await askGraphql(origin, key, query)).toMatchObject({
      data: {
        products: {
          nodes: Array(2).fill({
            title: expect.any(String) as string,
            averageRating: expect.any(Number) as number,
            deliveryDays: expect.any(Number) as number,
          }) as object[],
        },
      },
    });
  } finally {
    process.kill(-group, 'SIGINT');
    await ended;
    rmSync(directory, { recursive: true, force: true });
  }
  // npm may end before the processes it started. One that never ends keeps the test waiting until it fails.
  while (isAlive(-group)) await delay(20);
});
