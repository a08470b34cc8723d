/** Formats a count for people: fragments that double each other lead to meaningless numbers, and to Infinity. */
export const toCountText = (count: number): string => (count > 1e9 ? 'more than 1000000000' : String(count));
