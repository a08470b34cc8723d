import { mkdtemp, rename, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { watchSupergraphFile } from '../../src/federation/source/watch-supergraph-file';
import { createManualTimer } from './support/manual-timer';
import { createRecordedLog } from './support/source-log';

async function setUp(content: string | undefined) {
  const directory = await mkdtemp(join(tmpdir(), 'supergraph-'));
  const path = join(directory, 'supergraph.graphql');
  if (content !== undefined) await writeFile(path, content);
  const timer = createManualTimer();
  const log = createRecordedLog();
  const offered: string[] = [];
  const source = watchSupergraphFile({ path, intervalMilliseconds: 500, log, timer });
  return {
    path,
    source,
    log,
    offered,
    offer: (sdl: string) => {
      if (sdl.includes('broken')) throw new Error('not a supergraph');
      offered.push(sdl);
    },
    async poll() {
      timer.fire(500);
      while (timer.pending().length === 0) await new Promise((resolve) => setImmediate(resolve));
    },
    async end() {
      await source.stop();
      await rm(directory, { recursive: true });
    },
  };
}

it('loads the file at the start, and again whenever its text changes', async () => {
  const { path, source, offered, offer, poll, end } = await setUp('one');
  await source.start(offer);
  await poll();
  await writeFile(path, 'two');
  await poll();
  await writeFile(`${path}.new`, 'three');
  await rename(`${path}.new`, path);
  await poll();

  expect(offered).toEqual(['one', 'two', 'three']);
  await end();
});

it('keeps the last good supergraph when the file is broken or missing, and logs that once', async () => {
  const { path, source, offered, log, offer, poll, end } = await setUp('one');
  await source.start(offer);
  await writeFile(path, 'broken');
  await poll();
  await poll();
  await rm(path);
  await poll();
  await poll();
  await writeFile(path, 'two');
  await poll();

  expect(offered).toEqual(['one', 'two']);
  expect(log.lines.filter((line) => line.startsWith('error'))).toEqual([
    `error: ${path}: rejected; the last good supergraph stays in use: not a supergraph`,
    expect.stringContaining('no such file'),
  ]);
  await end();
});

it.each([
  ['broken', 'broken'],
  ['missing', undefined],
])('does not start with a %s file', async (_, content) => {
  const { source, offer, end } = await setUp(content);

  await expect(source.start(offer)).rejects.toThrow();
  await end();
});
