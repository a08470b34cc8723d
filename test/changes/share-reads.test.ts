import { shareReads } from '../../src/http/endpoints/changes/changes-page';

it('calls with one key share a read that begins after them, and wait for no other read', async () => {
  const begun: string[] = [];
  const read = shareReads(
    (call: string) => call,
    (call) => {
      begun.push(call);
      return call === 'hangs' ? new Promise<string>(() => undefined) : Promise.resolve(`${call} ${begun.length}`);
    },
  );
  void read('hangs');
  const pages = [read('a'), read('a')];
  expect(begun).toEqual([]);
  expect(await Promise.all(pages)).toEqual(['a 2', 'a 2']);
  expect(await read('a')).toBe('a 3');
});

it('calls that share a read share its error, and later calls read again', async () => {
  let times = 0;
  const read = shareReads(
    () => 'key',
    () => {
      times += 1;
      return times === 1 ? Promise.reject(new Error('failed')) : Promise.resolve(times);
    },
  );
  const failures = await Promise.allSettled([read(undefined), read(undefined)]);
  expect(failures.map(({ status }) => status)).toEqual(['rejected', 'rejected']);
  expect(await read(undefined)).toBe(2);
});
