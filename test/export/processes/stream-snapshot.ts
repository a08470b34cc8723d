import { constants, PerformanceObserver } from 'node:perf_hooks';
import { setImmediate } from 'node:timers/promises';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { streamSnapshot } from '../../../src/database/snapshot-stream';
import { rawSql } from '../../../src/database/sql';

/* Streams 200 MB like an export, which copies them several times, and prints how often V8 marked its whole heap. */

const statement = rawSql(`SELECT repeat('0123456789', 500) FROM generate_series(1, 40000)`);

async function stream(url: string): Promise<void> {
  let markings = 0;
  const observer = new PerformanceObserver((list) => {
    for (const entry of list.getEntries()) {
      const { detail } = entry as unknown as { detail: { kind: number } };
      if (detail.kind === constants.NODE_PERFORMANCE_GC_MAJOR) markings += 1;
    }
  });
  observer.observe({ entryTypes: ['gc'] });
  const options = {
    ...{ url, shopId: '00000000-0000-0000-0000-000000000000', applicationName: 'test', tables: ['shops'] },
    ...{ connectionTimeoutMilliseconds: 10_000, timeoutMilliseconds: 60_000, signal: new AbortController().signal },
  };
  // The limit of the heap is low only after the first marking.
  setFlagsFromString('--expose-gc');
  (runInNewContext('gc') as () => void)();
  const chunks = streamSnapshot(options, async function* (snapshot) {
    yield* snapshot.copyOut(statement);
  });
  let bytes = 0;
  for await (const chunk of chunks) {
    bytes += Buffer.concat([chunk, Buffer.concat([chunk])]).length / 2;
    await setImmediate();
  }
  await setImmediate();
  console.log(JSON.stringify({ bytes, markings }));
}

void stream(process.argv[2] as string);
