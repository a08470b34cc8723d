import { figureHours } from '../../database/sql-constants';
import type { BucketSections, OrderSegment } from '../rows/figure-statement';
import type { FigureInterval } from './calendar';

const { part, day, week } = figureHours;

/**
 * How many hours of UTC the rows of `order_figures` hold that a bucket is made of, longest first. Days are not made of
 * weeks: most of each week would have to be taken away again.
 */
const rowLengths: Readonly<Record<FigureInterval, readonly [number, ...number[]]>> = {
  DAY: [day, part],
  WEEK: [week, day, part],
  MONTH: [week, day, part],
};

const hour = 3_600_000;
/** A Monday, and where the rows of every length begin. */
const firstMoment = Date.parse('0001-01-01T00:00:00.000Z');
/** No section ends in the year 10000, which PostgreSQL and JavaScript write differently. */
const lastMoment = Date.parse('9999-12-31T23:59:59.999Z');

/**
 * How a row of buckets is read. A bucket is made of the days of UTC nearest to it, or of the weeks. What lies between
 * these and its bounds is added or taken away in shorter rows, and at last order by order: once for each bound, because
 * what one bucket has too much, its neighbor lacks. So a day of Tokyo takes one row by day, two by four hours and the
 * orders of one hour.
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

/** From where the longest rows end to a bound. What is passed over forward is added to the bucket that ends there. */
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
