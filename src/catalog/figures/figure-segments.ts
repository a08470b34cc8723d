import { figureHours } from '../../database/sql-constants';
import type { BucketSections, OrderSegment } from '../rows/figure-statement';
import type { FigureInterval } from './calendar';

const { part, day, week } = figureHours;

/**
 * The hours of UTC that rows of `order_figures` cover, for the rows that make up a bucket, longest first. Days do not
 * use weeks: most of each week would have to be subtracted again.
 */
const rowLengths: Readonly<Record<FigureInterval, readonly [number, ...number[]]>> = {
  DAY: [day, part],
  WEEK: [week, day, part],
  MONTH: [week, day, part],
};

const hour = 3_600_000;
/** A Monday, at which rows of every length begin. */
const firstMoment = Date.parse('0001-01-01T00:00:00.000Z');
/** Later sections would end in the year 10000, which PostgreSQL and JavaScript write differently. */
const lastMoment = Date.parse('9999-12-31T23:59:59.999Z');

/**
 * How consecutive buckets are read. A bucket consists of the nearest days or weeks of UTC. The difference to its bounds
 * is added or subtracted in shorter rows, and finally order by order: once for each bound, because the excess of one
 * bucket is the deficit of its neighbor. So a day of Tokyo takes one row of a day, two of four hours and the orders of
 * one hour.
 * @param bounds where the buckets begin, and where the last one ends
 */
export function toSections(interval: FigureInterval, bounds: readonly string[]): BucketSections {
  const [hours, ...shorter] = rowLengths[interval];
  const moments = bounds.map((bound) => Date.parse(bound));
  const marks = moments.map((moment) => nearest(hours, moment));
  return {
    hours,
    marks: marks.map(toText),
    segments: moments.map((moment, index) => toSegmentsBetween([...shorter, 0], marks[index] as number, moment)),
  };
}

/**
 * The segments from the end of the longest rows to a bound. Segments that lie forward are added to the bucket that ends
 * there.
 */
function toSegmentsBetween(lengths: readonly number[], from: number, to: number): OrderSegment[] {
  let reached = from;
  return lengths.flatMap((hours) => {
    const start = reached;
    reached = hours === 0 ? to : nearest(hours, to);
    return start < reached ? toSegment(hours, start, reached, 1) : toSegment(hours, reached, start, -1);
  });
}

const toSegment = (hours: number, from: number, to: number, sign: 1 | -1): OrderSegment[] =>
  from === to ? [] : [{ hours, from: toText(from), to: toText(to), sign }];

function nearest(hours: number, moment: number): number {
  const length = hours * hour;
  const rounded = firstMoment + Math.round((moment - firstMoment) / length) * length;
  return rounded > lastMoment ? rounded - length : rounded;
}

const toText = (moment: number): string => new Date(moment).toISOString();
