/** A resource that a caller holds while the service waits for it. */
interface Holding {
  /**
   * A shop, or a network address. It may change: a connection belongs to a shop only once its request is authenticated.
   */
  readonly caller: () => string;
  /** In the unit of the ledger. */
  readonly amount: number;
  /**
   * How much it costs other callers, in a unit shared by the holdings of a ledger: usually the amount times how long
   * the service has waited for the client. Undefined while it must not be ended, for example because the client waits
   * for the service.
   */
  readonly burden: () => number | undefined;
  /** Releases it, because others need the resource. */
  readonly giveWay: () => void;
}

/**
 * Counts what callers hold, by caller. When others need it, the largest item of the caller that holds most is ended. So
 * neither many small callers nor one large one can lock out a caller that is served quickly.
 */
export class CallerLedger {
  readonly #holdings = new Set<Holding>();
  #total = 0;

  get total(): number {
    return this.#total;
  }

  get size(): number {
    return this.#holdings.size;
  }

  /** @returns a function that stops counting the holding; further calls do nothing */
  hold(holding: Holding): () => void {
    this.#holdings.add(holding);
    this.#total += holding.amount;
    return () => this.#remove(holding);
  }

  /**
   * Ends the largest holdings of the caller with the largest burden. Ended holdings no longer count.
   * @returns how many holdings were ended, at most `most`, all of one caller
   */
  evict(most = 1): number {
    const callers = new Map<string, { sum: number; burdens: { holding: Holding; burden: number }[] }>();
    for (const holding of this.#holdings) {
      const burden = holding.burden();
      if (burden === undefined) continue;
      const name = holding.caller();
      const caller = callers.get(name) ?? { sum: 0, burdens: [] };
      callers.set(name, caller);
      caller.sum += burden;
      caller.burdens.push({ holding, burden });
    }
    const [first, ...others] = callers.values();
    if (first === undefined) return 0;
    const { burdens } = others.reduce((largest, caller) => (caller.sum > largest.sum ? caller : largest), first);
    burdens.sort((left, right) => right.burden - left.burden);
    const ended = burdens.slice(0, most);
    for (const { holding } of ended) {
      this.#remove(holding);
      holding.giveWay();
    }
    return ended.length;
  }

  #remove(holding: Holding): void {
    if (this.#holdings.delete(holding)) this.#total -= holding.amount;
  }
}

/** Minimum, so that holdings that have just begun to wait count as well: a thousand of them add up. */
const leastMilliseconds = 1_000;

/** The usual burden: an amount for which the service has waited since `since`, in milliseconds of performance.now(). */
export const burdenSince = (since: number, amount = 1): number =>
  amount * (performance.now() - since + leastMilliseconds);
