import { toBuckets } from '../../src/catalog/figures/calendar';
import { toPieces } from '../../src/catalog/figures/figure-pieces';
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

it.each(['DAY', 'WEEK', 'MONTH'] as const)(
  'each moment of a %s counts once to the bucket that it is in, and to no other',
  (interval) => {
    for (let round = 0; round < 500; round += 1) {
      const bounds = randomBounds();
      if (bounds.length < 2) continue;
      const { wholes, atBounds } = toPieces(
        interval,
        bounds.map((bound) => new Date(bound).toISOString()),
      );
      const pieces = [...wholes, ...atBounds];
      for (const [index, { from, loses }] of wholes.entries()) {
        expect(loses).toBeNull();
        if (index > 0) expect(from).toBe(wholes[index - 1]?.to);
      }
      for (const { hours, from, to } of pieces) {
        expect(from < to).toBe(true);
        if (hours > 0)
          expect([from, to].map((moment) => (Date.parse(moment) - monday) % (hours * hour))).toEqual([0, 0]);
      }
      const moments = [
        ...bounds,
        ...bounds.map((bound) => bound - 1),
        ...random.list(20, () => randomBounds()[0] ?? 0),
      ];
      for (const moment of moments) {
        const counts = bounds.slice(1).map(() => 0);
        for (const { from, to, gains, loses } of pieces) {
          if (moment < Date.parse(from) || moment >= Date.parse(to)) continue;
          if (gains !== null) counts[gains] = (counts[gains] ?? 0) + 1;
          if (loses !== null) counts[loses] = (counts[loses] ?? 0) - 1;
        }
        const expected = bounds.slice(1).map((end, index) => (moment >= (bounds[index] ?? 0) && moment < end ? 1 : 0));
        expect(counts).toEqual(expected);
      }
    }
  },
);

it.each([
  ['UTC', 0],
  ['Europe/Berlin', 0],
  ['Asia/Tokyo', 0],
  ['Asia/Kolkata', 1 / 2],
  ['Asia/Kathmandu', 1 / 4],
  ['Pacific/Auckland', 0],
] as const)('a day of %s is read as few rows, and hardly any orders', (timeZone, ofOrders) => {
  const [from, to] = ['2025-01-01T00:00:00Z', '2026-01-01T00:00:00Z'];
  const starts = toBuckets('DAY', timeZone, from, to).map(({ start }) => start);
  const { wholes, atBounds } = toPieces('DAY', [from, ...starts.slice(1), to]);
  const pieces = [...wholes, ...atBounds];
  const lengthOf = (hours: number) =>
    pieces
      .filter((piece) => piece.hours === hours)
      .reduce((sum, piece) => sum + (Date.parse(piece.to) - Date.parse(piece.from)) / hour, 0);
  expect(lengthOf(24) / 24).toBe(365);
  expect(lengthOf(4) / 4).toBeLessThanOrEqual(3 * 366);
  expect(lengthOf(1)).toBeLessThanOrEqual(2 * 366);
  expect(lengthOf(0) / 366).toBeCloseTo(ofOrders, 1);
});

it('no piece ends after the year 9999', () => {
  const { wholes, atBounds } = toPieces('MONTH', ['9999-12-31T22:00:00.000Z', '9999-12-31T23:59:59.999Z']);
  expect(
    [...wholes, ...atBounds].filter(({ from, to }) => [from, to].some((moment) => !/^\d{4}-/.test(moment))),
  ).toEqual([]);
});
