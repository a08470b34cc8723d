/** Returns milliseconds since the epoch, as Date.now does. Injected everywhere, so that tests can move time. */
export type Clock = () => number;
