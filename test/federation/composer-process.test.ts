import { createComposer } from '../../src/federation/catalog/composer';
import { childrenOf } from '../support/processes';

const subgraphs = [{ name: 'one', url: 'http://127.0.0.1:9/', sdl: 'type Query { a: Int }' }];
const idleMilliseconds = 2_000;

afterEach(() => jest.useRealTimers());

describe('the process that composes', () => {
  it('takes no request while it is ended for being idle', async () => {
    jest.useFakeTimers({ doNotFake: ['nextTick', 'queueMicrotask', 'setImmediate'] });
    const composer = createComposer(undefined, { findsNodes: false });
    await composer.compose(subgraphs);
    // It is killed here, which is noticed some turns of the event loop later.
    jest.advanceTimersByTime(idleMilliseconds);
    expect(await composer.compose(subgraphs)).toContain('enum join__Graph');
    composer.stop();
  });

  it('is started again when another program kills it, and the subgraphs are not to blame', async () => {
    const composer = createComposer(undefined, { findsNodes: false });
    const before = new Set(childrenOf(process.pid));
    const composed = composer.compose(subgraphs);
    await new Promise((resolve) => setImmediate(resolve));
    const started = childrenOf(process.pid).filter((pid) => !before.has(pid));
    for (const pid of started) process.kill(pid, 'SIGKILL');
    expect(await composed).toContain('enum join__Graph');
    expect(started.length).toBeGreaterThan(0);
    composer.stop();
  });
});
