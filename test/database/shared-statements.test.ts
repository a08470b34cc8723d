import { createCoalescedRead } from '../../src/database/bounded-pool';

const turn = () => new Promise((resolve) => setImmediate(resolve));

/** A reader whose statements end when the test releases them. */
function createReader() {
  const statements: { keys: readonly number[]; answer: () => void; fail: () => void }[] = [];
  const read = createCoalescedRead<number, string>({
    readMany: (keys) =>
      new Promise((resolve, reject) =>
        statements.push({
          keys,
          answer: () => resolve(keys.map((key) => `row ${key}`)),
          fail: () => reject(new Error('broken')),
        }),
      ),
    maximumKeys: 3,
    maximumInFlight: 2,
    maximumDelayMilliseconds: 250,
  });
  return { read, statements, asked: () => statements.map(({ keys }) => keys) };
}

describe('reads that share statements (D14)', () => {
  it('resolves concurrent calls with one statement', async () => {
    const { read, statements, asked } = createReader();
    const answers = Promise.all([read(1), read(2), read(3)]);
    await turn();
    expect(asked()).toEqual([[1, 2, 3]]);
    statements[0]?.answer();
    expect(await answers).toEqual(['row 1', 'row 2', 'row 3']);
  });

  it('begins a statement after every call that it serves, and never serves a call from one in flight', async () => {
    const { read, statements, asked } = createReader();
    const first = read(1);
    await turn();
    const second = read(1);
    await turn();
    expect(asked()).toEqual([[1], [1]]);
    statements[1]?.answer();
    expect(await second).toBe('row 1');
    statements[0]?.answer();
    expect(await first).toBe('row 1');
  });

  it('collects keys while the permitted statements are in flight', async () => {
    const { read, statements, asked } = createReader();
    const answers = [];
    for (const key of [1, 2, 3, 4]) {
      answers.push(read(key));
      await turn();
    }
    expect(asked()).toEqual([[1], [2]]);
    statements[0]?.answer();
    await turn();
    expect(asked()).toEqual([[1], [2], [3, 4]]);
    for (const { answer } of statements) answer();
    expect(await Promise.all(answers)).toEqual(['row 1', 'row 2', 'row 3', 'row 4']);
  });

  it('limits the size of statements', async () => {
    const { read, asked } = createReader();
    void [1, 2, 3, 4, 5].map((key) => read(key));
    await turn();
    expect(asked()).toEqual([
      [1, 2, 3],
      [4, 5],
    ]);
  });

  it('continues after a statement that failed', async () => {
    const { read, statements, asked } = createReader();
    const failures = [read(1), read(2)].map((answer) => expect(answer).rejects.toThrow('broken'));
    await turn();
    statements[0]?.fail();
    await Promise.all(failures);
    void read(3);
    await turn();
    expect(asked()).toEqual([[1, 2], [3]]);
  });

  it('does not let statements that hang delay the calls behind them for long', async () => {
    jest.useFakeTimers({ doNotFake: ['nextTick', 'queueMicrotask', 'setImmediate'] });
    try {
      const { read, asked } = createReader();
      for (const key of [1, 2, 3]) {
        void read(key);
        await turn();
      }
      jest.advanceTimersByTime(249);
      expect(asked()).toEqual([[1], [2]]);
      jest.advanceTimersByTime(1);
      expect(asked()).toEqual([[1], [2], [3]]);
    } finally {
      jest.useRealTimers();
    }
  });
});
