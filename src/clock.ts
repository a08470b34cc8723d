/** Milliseconds since the epoch. Injected everywhere, so that a test can move time. */
export type Clock = () => number;

export const systemClock: Clock = () => Date.now();
