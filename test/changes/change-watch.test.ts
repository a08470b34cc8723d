import { ChangeWatch } from '../../src/catalog/change/change-watch';

/** Shops whose versions a test sets; each call of the watch waits until the test responds. */
function watched() {
  const versions: Record<string, string> = {};
  const calls: { readonly shopIds: readonly string[]; readonly go: (error?: Error) => void }[] = [];
  const errors: unknown[] = [];
  let onCall: () => void = () => undefined;
  const watch = new ChangeWatch({
    intervalMilliseconds: 1,
    onError: (error) => errors.push(error),
    readVersions: (shopIds) =>
      new Promise((resolve, reject) => {
        const go = (error?: Error): void => (error === undefined ? resolve({ ...versions }) : reject(error));
        calls.push({ shopIds, go });
        onCall();
      }),
  });
  const nextCall = async (): Promise<(typeof calls)[number]> => {
    while (calls.length === 0) await new Promise<void>((resolve) => (onCall = resolve));
    return calls.shift() as (typeof calls)[number];
  };
  const settled = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));
  return { watch, versions, calls, errors, nextCall, settled };
}

it('one statement reads all shops, however many watchers there are', async () => {
  const { watch, versions, nextCall, settled, calls } = watched();
  const woken: string[] = [];
  for (const shop of ['a', 'b']) {
    versions[shop] = '1';
    for (let count = 0; count < 500; count += 1) watch.watch(shop, '1', () => woken.push(shop));
  }
  const first = await nextCall();
  expect(first.shopIds).toEqual(['a', 'b']);
  expect(calls).toEqual([]);
  versions['b'] = '2';
  first.go();
  await settled();
  expect([new Set(woken), woken.length]).toEqual([new Set(['b']), 500]);
  const second = await nextCall();
  expect(second.shopIds).toEqual(['a']);
  second.go();
});

it('nothing is queried without watchers, and a deleted shop wakes its own', async () => {
  const { watch, nextCall, settled, calls } = watched();
  const end = watch.watch('a', '1', () => undefined);
  let isWoken = false;
  watch.watch('gone', '1', () => (isWoken = true));
  (await nextCall()).go();
  await settled();
  expect(isWoken).toBe(true);
  end();
  for (const { go } of calls.splice(0)) go();
  // The next call belongs to the next watcher.
  watch.watch('b', '1', () => undefined);
  const { shopIds, go } = await nextCall();
  expect(shopIds).toEqual(['b']);
  go();
});

it('a watcher added while a statement runs is compared with the next one', async () => {
  const { watch, versions, nextCall, settled } = watched();
  versions['a'] = '1';
  const end = watch.watch('a', '1', () => undefined);
  const running = await nextCall();
  let isWoken = false;
  watch.watch('a', '2', () => (isWoken = true));
  running.go();
  await settled();
  expect(isWoken).toBe(false);
  versions['a'] = '3';
  (await nextCall()).go();
  await settled();
  expect(isWoken).toBe(true);
  end();
});

it('continues after a failure', async () => {
  const { watch, versions, nextCall, settled, errors } = watched();
  versions['a'] = '2';
  let isWoken = false;
  watch.watch('a', '1', () => (isWoken = true));
  (await nextCall()).go(new Error('away'));
  await settled();
  expect([isWoken, errors]).toEqual([false, [new Error('away')]]);
  (await nextCall()).go();
  await settled();
  expect(isWoken).toBe(true);
});
