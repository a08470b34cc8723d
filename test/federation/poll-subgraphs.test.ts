import { composeSubgraphs, UnaffordableComposition } from '../../src/federation/supergraph/compose-subgraphs';
import { pollSubgraphs, startMilliseconds } from '../../src/federation/source/poll-subgraphs';
import type { PollOptions } from '../../src/federation/source/poll-subgraphs';
import { createManualTimer } from './support/manual-timer';
import { createRecordedLog } from './support/source-log';

const link =
  'extend schema @link(url: "https://specs.apollo.dev/federation/v2.9", import: ["@key", "@external", "@requires"])';
const catalog = {
  name: 'catalog',
  url: 'local://catalog',
  sdl: `${link} type Product @key(fields: "id") { id: ID! title: String! } type Query { product: Product }`,
};
const field = (name: string) => `${link} type Product @key(fields: "id") { id: ID! ${name}: Int }`;
const broken = `${link} type Product @key(fields: "id") { id: ID! bad: Nowhere }`;
const intervalMilliseconds = 1000;

afterEach(() => jest.restoreAllMocks());

function setUp(options: Partial<PollOptions> = {}) {
  const timer = createManualTimer();
  const log = createRecordedLog();
  const supergraphs: string[] = [];
  /** What each subgraph returns: SDL or an error. */
  const answers: Record<string, string | Error> = {};
  const source = pollSubgraphs({
    local: [catalog],
    remotes: ['reviews', 'stock'].map((name) => ({ name, url: `http://${name}.test` })),
    intervalMilliseconds,
    log,
    compose: composeSubgraphs,
    load: ({ name }) => {
      const answer = answers[name] ?? new Error('connection refused');
      return answer instanceof Error ? Promise.reject(answer) : Promise.resolve(answer);
    },
    ...options,
  });
  return {
    source,
    timer,
    log,
    answers,
    supergraphs,
    offer: (sdl: string) => void supergraphs.push(sdl),
    /** One poll from start to end. */
    async poll() {
      timer.fire(intervalMilliseconds);
      while (timer.pending().length === 0) await new Promise((resolve) => setImmediate(resolve));
    },
    latest: () => supergraphs.at(-1) ?? '',
  };
}

it('reports that a subgraph does not answer, once, and that it answers again', async () => {
  const { source, answers, offer, poll } = setUp();
  const seen: string[] = [];
  await source.start(offer, (...answer) => seen.push(String(answer)));
  await poll();
  answers['stock'] = field('stock');
  await poll();
  expect(seen).toEqual(['reviews,failed,true', 'stock,failed,true', 'stock,ok,true']);
});

describe('at the start', () => {
  it('fails when there is nothing to serve', async () => {
    const { source, offer } = setUp({ local: [] });

    await expect(source.start(offer)).rejects.toThrow();
  });

  it('subgraphs that need each other join, in whatever order they are configured', async () => {
    const { source, answers, offer, latest } = setUp({
      remotes: ['bad', 'needs', 'brings'].map((name) => ({ name, url: `http://${name}.test` })),
    });
    answers['bad'] = broken;
    answers['needs'] =
      `${link} type Product @key(fields: "id") { id: ID! grams: Int @external weight: Int @requires(fields: "grams") }`;
    answers['brings'] = field('grams');
    await source.start(offer);

    expect(latest()).toContain('NEEDS');
    expect(latest()).toContain('BRINGS');
    expect(latest()).not.toContain('BAD');
  });
});

describe('a composition that takes long', () => {
  const slow = field('slow');
  /** A composer that composes nothing with the slow SDL until it is released, or refused for good. */
  function setUpSlow() {
    let settle = { release: (): void => undefined, giveUp: (): void => undefined };
    let tries = 0;
    const set = setUp({
      compose: async (subgraphs) => {
        if (subgraphs.some(({ sdl }) => sdl === slow)) {
          tries += 1;
          await new Promise<void>((resolve, reject) => {
            settle = { release: resolve, giveUp: () => reject(new UnaffordableComposition('It took too long.')) };
          });
        }
        return composeSubgraphs(subgraphs);
      },
    });
    return { ...set, release: () => settle.release(), giveUp: () => settle.giveUp(), tries: () => tries };
  }
  const turns = async (count = 20) => {
    for (let turn = 0; turn < count; turn += 1) await new Promise((resolve) => setImmediate(resolve));
  };

  it('delays a start for ten seconds at most: then the catalog is served alone, and the others join later', async () => {
    const { source, timer, answers, offer, supergraphs, log, release } = setUpSlow();
    Object.assign(answers, { reviews: slow, stock: field('stock') });
    const started = source.start(offer);
    await turns();
    expect(supergraphs).toEqual([]);
    timer.fire(startMilliseconds);
    await started;
    expect(supergraphs).toHaveLength(1);
    expect(supergraphs[0]).not.toContain('STOCK');

    release();
    await turns();
    expect(supergraphs).toHaveLength(2);
    expect(supergraphs[1]).toContain('slow: Int');
    expect(log.lines).toEqual([
      'warn: starting without the subgraphs that are still being composed; they join once they are composed',
      'info: composed the supergraph of catalog, reviews, stock',
    ]);
  });

  it('is tried once, and again when its SDL changes, whatever others do', async () => {
    const { source, answers, offer, latest, poll, giveUp, tries, log } = setUpSlow();
    answers['reviews'] = slow;
    const started = source.start(offer);
    await turns();
    giveUp();
    await started;
    expect(tries()).toBe(1);

    answers['stock'] = field('stock');
    await poll();
    expect(latest()).toContain('STOCK');
    expect(tries()).toBe(1);
    answers['reviews'] = field('rating');
    await poll();
    expect(latest()).toContain('rating');
    expect(log.lines).toEqual([
      'warn: subgraph stock: connection refused; it is left out until it returns its SDL',
      'error: subgraph reviews: SDL rejected; it is left out: It took too long.',
      'info: composed the supergraph of catalog',
      'info: subgraph stock: SDL received',
      'info: composed the supergraph of catalog, stock',
      'info: composed the supergraph of catalog, reviews, stock',
    ]);
  });

  it('that is abandoned after the start leaves the catalog as it was', async () => {
    const { source, timer, answers, offer, supergraphs, giveUp } = setUpSlow();
    answers['reviews'] = slow;
    const started = source.start(offer);
    await turns();
    timer.fire(startMilliseconds);
    await started;
    giveUp();
    await turns();
    expect(new Set(supergraphs).size).toBe(1);
    await source.stop();
    expect(timer.pending()).toEqual([]);
  });
});

describe('while it runs', () => {
  it('nothing is composed when nothing has changed, and a subgraph that becomes unavailable stays in the graph', async () => {
    const { source, answers, offer, supergraphs, latest, log, poll } = setUp();
    answers['reviews'] = field('rating');
    await source.start(offer);
    await poll();
    answers['reviews'] = new Error('timeout');
    await poll();
    await poll();

    expect(supergraphs).toHaveLength(1);
    expect(latest()).toContain('rating');
    expect(log.lines.filter((line) => line.includes('timeout'))).toEqual([
      'warn: subgraph reviews: timeout; its last good SDL stays in use',
    ]);
  });

  it('a broken SDL keeps the last good one, is reported once, and does not delay the others', async () => {
    const { source, answers, offer, latest, log, poll } = setUp();
    Object.assign(answers, { reviews: field('rating'), stock: field('stock') });
    await source.start(offer);
    Object.assign(answers, { reviews: broken, stock: field('available') });
    await poll();
    await poll();

    expect(latest()).toContain('rating');
    expect(latest()).toContain('available');
    expect(log.lines.filter((line) => line.startsWith('error'))).toHaveLength(1);

    answers['reviews'] = field('stars');
    await poll();
    expect(latest()).toContain('stars');
  });

  it('polls never overlap, and none begins after the stop', async () => {
    let asked = 0;
    let release = () => undefined as void;
    const { source, timer, offer } = setUp({
      remotes: [{ name: 'slow', url: 'http://slow.test' }],
      load: () => {
        asked += 1;
        return asked === 1
          ? Promise.resolve(field('a'))
          : new Promise((resolve) => (release = () => resolve(field('b'))));
      },
    });
    await source.start(offer);
    timer.fire(intervalMilliseconds);
    expect(timer.pending()).toEqual([]);
    expect(asked).toBe(2);

    const stopped = source.stop();
    release();
    await stopped;
    expect(timer.pending()).toEqual([]);
  });
});
