import { answerWithin } from '../../src/common/timer';

const turn = () => new Promise((resolve) => setImmediate(resolve));

describe('the time a call gives Redis (D20)', () => {
  beforeEach(() => {
    jest.useFakeTimers({ doNotFake: ['nextTick', 'queueMicrotask', 'setImmediate', 'clearImmediate', 'performance'] });
  });
  afterEach(() => {
    jest.useRealTimers();
  });

  it('rejects when the time is over and not before', async () => {
    const outcomes: string[] = [];
    answerWithin(new Promise(() => undefined), 100).catch((error: Error) => outcomes.push(error.message));
    jest.advanceTimersByTime(99);
    await turn();
    expect(outcomes).toEqual([]);
    jest.advanceTimersByTime(1);
    await turn();
    await turn();
    expect(outcomes).toEqual(['no response within 100 ms']);
  });

  it('accepts an answer that arrived while this process was busy', async () => {
    const answer = new Promise((resolve) => setImmediate(resolve, 'answer'));
    const taken = answerWithin(answer, 100);
    jest.advanceTimersByTime(100);
    expect(await taken).toBe('answer');
  });

  it('passes on the failure of the answer', async () => {
    await expect(answerWithin(Promise.reject(new Error('broken')), 100)).rejects.toThrow('broken');
    expect(jest.getTimerCount()).toBe(0);
  });
});
