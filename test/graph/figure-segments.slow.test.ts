import { toBuckets } from '../../src/catalog/figures/calendar';
import { toSections } from '../../src/catalog/figures/figure-segments';
import type { BucketSections, OrderSegment } from '../../src/catalog/rows/figure-statement';
import { createRandom } from '../support/random';

const hour = 3_600_000;
const monday = Date.parse('2026-02-23T00:00:00Z');
const random = createRandom(11);

/** Bounds on and beside hours and days of UTC, in ascending order. */
function randomBounds(): number[] {
  const start = Date.parse('2026-03-01T00:00:00Z');
  const bounds = random.list(random.integer(2, 8), () => {
    const whole = random.integer(0, 200) * random.pick([1, 24]) * hour;
    return start + whole + random.pick([0, 0, 1, -1, random.integer(0, hour), hour / 2]);
  });
  return [...new Set(bounds)].sort((a, b) => a - b);
}

const toTexts = (moments: readonly number[]) => moments.map((moment) => new Date(moment).toISOString());

/** What each bucket is added up from. */
const toSegments = ({ hours, marks, segments }: BucketSections): OrderSegment[][] =>
  marks.slice(1).map((to, index) => {
    const from = marks[index] as string;
    const taken = (segments[index] ?? []).map(
      (segment) => ({ ...segment, sign: segment.sign === 1 ? -1 : 1 }) as const,
    );
    return [...(from === to ? [] : [{ hours, from, to, sign: 1 } as const]), ...(segments[index + 1] ?? []), ...taken];
  });

it.each(['DAY', 'WEEK', 'MONTH'] as const)(
  'each moment of a %s counts once to the bucket that it is in, and to no other',
  (interval) => {
    for (let round = 0; round < 500; round += 1) {
      const bounds = randomBounds();
      if (bounds.length < 2) continue;
      const buckets = toSegments(toSections(interval, toTexts(bounds)));
      expect(buckets).toHaveLength(bounds.length - 1);
      for (const { hours, from, to } of buckets.flat()) {
        expect(from < to).toBe(true);
        if (hours > 0)
          expect([from, to].map((moment) => (Date.parse(moment) - monday) % (hours * hour))).toEqual([0, 0]);
      }
      const moments = [
        ...bounds,
        ...bounds.map((bound) => bound - 1),
        ...random.list(20, () => randomBounds()[0] ?? 0),
      ];
      const sections = buckets.map((segments) =>
        segments.map(({ from, to, sign }) => ({ from: Date.parse(from), to: Date.parse(to), sign })),
      );
      const counts = moments.map((moment) =>
        sections.map((segments) =>
          segments.reduce((sum, { from, to, sign }) => sum + (moment >= from && moment < to ? sign : 0), 0),
        ),
      );
      const isWithin = (moment: number) =>
        bounds.slice(1).map((end, index) => (moment >= (bounds[index] ?? 0) && moment < end ? 1 : 0));
      expect(counts).toEqual(moments.map(isWithin));
    }
  },
);

it.each([
  ['UTC', 0],
  ['Europe/Berlin', 1.6],
  ['Asia/Tokyo', 1],
  ['Asia/Kolkata', 3 / 2],
  ['Asia/Kathmandu', 7 / 4],
  ['America/New_York', 0.35],
  ['America/Sao_Paulo', 1],
] as const)(
  'a day of %s is read as few rows, and the orders of two hours at most at each of its bounds',
  (timeZone, ofOrders) => {
    const [from, to] = ['2025-01-01T00:00:00Z', '2026-01-01T00:00:00Z'];
    const starts = toBuckets('DAY', timeZone, from, to).map(({ start }) => start);
    const sections = toSections('DAY', [from, ...starts.slice(1), to]);
    const segments = sections.segments.flat();
    const lengthOf = (hours: number) =>
      segments
        .filter((segment) => segment.hours === hours)
        .reduce((sum, segment) => sum + (Date.parse(segment.to) - Date.parse(segment.from)) / hour, 0);
    expect(sections.hours).toBe(24);
    expect(lengthOf(4) / 4).toBeLessThanOrEqual(3 * 366);
    expect(lengthOf(0) / 366).toBeCloseTo(ofOrders, 1);
  },
);

it('no segment ends after the year 9999', () => {
  const segments = toSegments(toSections('MONTH', ['9999-12-31T22:00:00.000Z', '9999-12-31T23:59:59.999Z'])).flat();
  expect(segments.filter(({ from, to }) => [from, to].some((moment) => !/^\d{4}-/.test(moment)))).toEqual([]);
});
