const sorted = (values) => [...values].sort((a, b) => a - b);

export const percentile = (values, share) => {
  const inOrder = sorted(values);
  return inOrder[Math.min(inOrder.length - 1, Math.floor(inOrder.length * share))];
};

export const median = (values) => {
  const inOrder = sorted(values);
  const middle = inOrder.length >> 1;
  return inOrder.length % 2 === 1 ? inOrder[middle] : (inOrder[middle - 1] + inOrder[middle]) / 2;
};

/** The ratio of each round, then their median: anything that slowed a round down slowed both. */
export const pairedRatio = (values, others) => median(values.map((value, round) => value / others[round]));

export const spread = (values) => ({ low: Math.min(...values), high: Math.max(...values) });

/** A copy in random order. */
export function shuffled(values) {
  const copy = [...values];
  for (let index = copy.length - 1; index > 0; index -= 1) {
    const other = Math.floor(Math.random() * (index + 1));
    [copy[index], copy[other]] = [copy[other], copy[index]];
  }
  return copy;
}
