import type { OrderPiece } from '../rows/figure-statement';
import type { FigureInterval } from './calendar';

/**
 * How many hours of UTC the rows of `order_figures` hold that a bucket is made of, longest first. Days are not made of weeks: most of each
 * week would have to be taken away again.
 */
const rowLengths: Readonly<Record<FigureInterval, readonly [number, ...number[]]>> = {
  DAY: [24, 4],
  WEEK: [168, 24, 4],
  MONTH: [168, 24, 4],
};

const hour = 3_600_000;
/** A Monday, and where the rows of every length begin. */
const firstMoment = Date.parse('0001-01-01T00:00:00.000Z');
/** No section ends in the year 10000, which PostgreSQL and JavaScript write differently. */
const lastMoment = Date.parse('9999-12-31T23:59:59.999Z');

/**
 * The pieces that each bucket is read in. A bucket is made of the days of UTC nearest to it, or of the weeks. What these have too little or
 * too much at its bounds is added or taken away in shorter rows, and at last order by order. So a day of Tokyo takes one row by day, four by
 * four hours and the orders of two hours.
 * @param bounds where the buckets begin, and where the last one ends
 */
export function toPieces(interval: FigureInterval, bounds: readonly string[]): readonly (readonly OrderPiece[])[] {
  const [longest, ...shorter] = rowLengths[interval];
  const lengths = [...shorter, 0];
  const moments = bounds.map((bound) => Date.parse(bound));
  return moments.slice(1).map((end, bucket) => {
    const start = moments[bucket] as number;
    const [first, last] = [nearest(longest, start), nearest(longest, end)];
    return [
      ...toPiece(longest, first, last, 1),
      ...toPiecesBetween(lengths, first, start, -1),
      ...toPiecesBetween(lengths, last, end, 1),
    ];
  });
}

/**
 * From a bound as the longest rows have it to where it is.
 * @param sign what is passed over counts as, if the way is forward
 */
function toPiecesBetween(lengths: readonly number[], from: number, to: number, sign: 1 | -1): OrderPiece[] {
  let reached = from;
  return lengths.flatMap((hours) => {
    const start = reached;
    reached = hours === 0 ? to : nearest(hours, to);
    return start < reached ? toPiece(hours, start, reached, sign) : toPiece(hours, reached, start, sign === 1 ? -1 : 1);
  });
}

const toPiece = (hours: number, from: number, to: number, sign: 1 | -1): OrderPiece[] =>
  from === to ? [] : [{ hours, from: toText(from), to: toText(to), sign }];

function nearest(hours: number, moment: number): number {
  const length = hours * hour;
  const rounded = firstMoment + Math.round((moment - firstMoment) / length) * length;
  return rounded > lastMoment ? rounded - length : rounded;
}

const toText = (moment: number): string => new Date(moment).toISOString();
