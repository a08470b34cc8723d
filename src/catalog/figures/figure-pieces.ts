import type { OrderPiece } from '../rows/figure-statement';
import { longestHours } from '../rows/figure-statement';

/** How many hours of UTC a row of `order_figures` holds, longest first. */
const rolledUpHours = [longestHours, 1] as const;

const hour = 3_600_000;
/** No section ends in the year 10000, which PostgreSQL and JavaScript write differently. */
const lastMoment = Date.parse('9999-12-31T23:59:59.999Z');

/**
 * The pieces that buckets are read in. A bucket is made of the days of UTC nearest to it. What these have too much or too little at a bound is
 * moved to the bucket beside it, in hours and at last order by order. So a day of Tokyo takes one row by day and nine by hour, not 24.
 * @param bounds where the buckets begin, and where the last one ends
 */
export function toPieces(bounds: readonly string[]): readonly OrderPiece[] {
  const moments = bounds.map((bound) => Date.parse(bound));
  const days = moments.map((moment) => nearest(rolledUpHours[0], moment));
  const lastBucket = bounds.length - 2;
  return moments.flatMap((moment, index) => {
    const before = index === 0 ? null : index - 1;
    const after = index > lastBucket ? null : index;
    return [
      ...(after === null
        ? []
        : toPiece(rolledUpHours[0], days[index] as number, days[index + 1] as number, after, null)),
      ...toPiecesBetween(days[index] as number, moment, before, after),
    ];
  });
}

/** From a bound as days have it to where it is: what is passed over changes sides. */
function toPiecesBetween(from: number, to: number, before: number | null, after: number | null): OrderPiece[] {
  const shorter = [...rolledUpHours.slice(1), 0];
  let reached = from;
  return shorter.flatMap((hours) => {
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
  const rounded = Math.round(moment / length) * length;
  return rounded > lastMoment ? rounded - length : rounded;
}

const toText = (moment: number): string => new Date(moment).toISOString();
