import { attacks } from './attacks';
import { guards } from './guards';
import type { Seen } from './bystander';
import { percentile } from './bystander';
import { createRandom } from '../../support/random';
import type { Outcome } from './verdict';
import { judge } from './verdict';

const seen: Seen = {
  requests: 200,
  p95: 40,
  slowest: 90,
  refused: 0,
  unanswered: 0,
  wrong: [],
  probes: 40,
  slowestProbe: 10,
  failedProbes: 0,
};
const survived: Outcome = { hasDied: false, calm: { p95: 20 }, during: seen, peak: 300, slowdown: 1, problems: [] };

describe('npm run attack', () => {
  it('accepts an attack that changes nothing', () => {
    expect(judge(survived)).toEqual([]);
  });

  it.each<[string, Partial<Outcome>]>([
    ['the process dies', { hasDied: true, peak: undefined }],
    ['another shop waits', { during: { ...seen, p95: 1_001 } }],
    ['another shop is refused', { during: { ...seen, refused: 3 } }],
    ['another shop gets no answer', { during: { ...seen, unanswered: 3 } }],
    ['another shop gets a wrong answer', { during: { ...seen, wrong: ['not what SQL says'] } }],
    ['no request was sent', { during: { ...seen, requests: 0 } }],
    ['/livez does not answer', { during: { ...seen, failedProbes: 1 } }],
    ['memory is beyond its bound', { peak: 769 }],
    ['the attack itself found something', { problems: ['INTERNAL_SERVER_ERROR'] }],
  ])('ends with 1 when %s', (_, change) => {
    expect(judge({ ...survived, ...change })).toHaveLength(1);
  });

  it('expects less of a machine that other programs use too', () => {
    const late = { ...seen, p95: 1_900, refused: 10 };
    expect(judge({ ...survived, slowdown: 2, during: late })).toEqual([]);
    expect(judge({ ...survived, slowdown: 1.5, during: late })).toHaveLength(2);
  });

  it('measures a busy machine by its calm periods', () => {
    expect(judge({ ...survived, calm: { p95: 200 }, during: { ...seen, p95: 1_900 } })).toEqual([]);
  });

  it('compares with the calm periods alone where they are between those of the attack', () => {
    const p95BoundMilliseconds = 'calm';
    expect(judge({ ...survived, p95BoundMilliseconds, during: { ...seen, p95: 150 } })).toEqual([]);
    expect(judge({ ...survived, p95BoundMilliseconds, during: { ...seen, p95: 151 } })).toHaveLength(1);
    expect(judge({ ...survived, p95BoundMilliseconds, slowdown: 2, during: { ...seen, p95: 301 } })).toHaveLength(1);
  });

  it('has a test that guards each defence, and a distinct name for each attack', () => {
    expect(attacks.map(({ name }) => name).sort()).toEqual(Object.keys(guards).sort());
  });

  it('takes the percentile that most do not exceed', () => {
    const records = Array.from({ length: 100 }, (_, index) => ({ milliseconds: 100 - index }));
    expect([0.5, 0.95, 1].map((share) => percentile(records, share))).toEqual([50, 95, 100]);
    expect(percentile([], 0.95)).toBe(0);
  });

  it('repeats its choices by seed', () => {
    const choices = (seed: number) => createRandom(seed).word(50);
    expect(choices(7)).toBe(choices(7));
    expect(choices(7)).not.toBe(choices(8));
  });
});
