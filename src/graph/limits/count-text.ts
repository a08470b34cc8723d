/** A count for people: fragments that double each other reach numbers that say nothing, and Infinity. */
export const toCountText = (count: number): string => (count > 1e9 ? 'more than 1000000000' : String(count));
