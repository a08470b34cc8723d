import { toBuckets } from '../../src/catalog/figures/calendar';
import { toSections } from '../../src/catalog/figures/figure-segments';

const hour = 3_600_000;

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
