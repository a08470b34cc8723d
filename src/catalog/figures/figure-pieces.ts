import type { OrderPiece, OrderPieces } from '../rows/figure-statement';
import type { FigureInterval } from './calendar';

/**
 * How many hours of UTC a row of `order_figures` holds, longest first, by the buckets that are made of them. Days are not
 * made of weeks: most of each week would have to be moved to other days.
 */
const rolledUpHours: Readonly<Record<FigureInterval, readonly [number, ...number[]]>> = {
  DAY: [24, 4, 1],
  WEEK: [168, 24, 4, 1],
  MONTH: [168, 24, 4, 1],
};

const hour = 3_600_000;
/** A Monday, and where the rows of every length begin. */
const firstMoment = Date.parse('0001-01-01T00:00:00.000Z');
/** No section ends in the year 10000, which PostgreSQL and JavaScript write differently. */
const lastMoment = Date.parse('9999-12-31T23:59:59.999Z');

/**
 * The pieces that buckets are read in. A bucket is made of the weeks of UTC nearest to it, or of the days if it is a
 * day. What these have too much or too little at a bound is moved to the bucket beside it, in shorter rows and at last
 * order by order. So a day of Tokyo takes one row by day, two by four
 * hours and one by hour, not 24.
 * @param bounds where the buckets begin, and where the last one ends
 */
export function toPieces(interval: FigureInterval, bounds: readonly string[]): OrderPieces {
  const [longest, ...shorter] = rolledUpHours[interval];
  const moments = bounds.map((bound) => Date.parse(bound));
  const ends = moments.map((moment) => nearest(longest, moment));
  const lastBucket = bounds.length - 2;
  return {
    wholes: ends.slice(1).flatMap((end, bucket) => toPiece(longest, ends[bucket] as number, end, bucket, null)),
    atBounds: moments.flatMap((moment, index) => {
      const before = index === 0 ? null : index - 1;
      const after = index > lastBucket ? null : index;
      return toPiecesBetween([...shorter, 0], ends[index] as number, moment, before, after);
    }),
  };
}

/** From a bound as the wholes have it to where it is: what is passed over changes sides. */
function toPiecesBetween(
  lengths: readonly number[],
  from: number,
  to: number,
  before: number | null,
  after: number | null,
): OrderPiece[] {
  let reached = from;
  return lengths.flatMap((hours) => {
    const start = reached;
    reached = hours === 0 ? to : nearest(hours, to);
    return start < reached
      ? toPiece(hours, start, reached, before, after)
      : toPiece(hours, reached, start, after, before);
  });
}

const toPiece = (hours: number, from: number, to: number, gains: number | null, loses: number | null): OrderPiece[] =>
  from === to ? [] : [{ hours, from: toText(from), to: toText(to), gains, loses }];

function nearest(hours: number, moment: number): number {
  const length = hours * hour;
  const rounded = firstMoment + Math.round((moment - firstMoment) / length) * length;
  return rounded > lastMoment ? rounded - length : rounded;
}

const toText = (moment: number): string => new Date(moment).toISOString();
