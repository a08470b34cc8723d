import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import type { Response } from 'express';
import { addressBucket } from '../../rate-limit/bucket-names';
import { findPrincipal } from './request-state';

/** What a caller keeps from others while the service waits for it. */
export interface Holding {
  /** See `callerOf`. It may change: a connection belongs to a shop only once its request is authenticated. */
  readonly caller: () => string;
  /** In the unit of the ledger. */
  readonly amount: number;
  /** Since when it waits for its client, in the time of performance.now(); undefined while the client waits for it. */
  readonly waitsSince: () => number | undefined;
  /** Ends it, because others need what it holds. */
  readonly giveWay: () => void;
}

/**
 * Counts what callers hold, by caller. When others need it, the caller that holds most gives way: most of it, for
 * longest. So neither many callers with little each nor one with much keeps another out that is served quickly.
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

  isHeldBy(caller: string): boolean {
    return [...this.#holdings].some((holding) => holding.caller() === caller);
  }

  /** @returns what ends the count, once */
  hold(holding: Holding): () => void {
    this.#holdings.add(holding);
    this.#total += holding.amount;
    return () => {
      if (this.#holdings.delete(holding)) this.#total -= holding.amount;
    };
  }

  /**
   * Ends what has waited longest of the caller that holds most. What it ends counts no longer.
   * @param leastMilliseconds What has waited for less is not ended.
   * @returns how many holdings were ended, at most `count`, all of one caller
   */
  makeRoom(leastMilliseconds = 0, count = 1): number {
    const now = performance.now();
    const callers = new Map<string, { held: number; waiting: { holding: Holding; since: number }[] }>();
    for (const holding of this.#holdings) {
      const since = holding.waitsSince();
      if (since === undefined || now - since < leastMilliseconds) continue;
      const name = holding.caller();
      const caller = callers.get(name) ?? { held: 0, waiting: [] };
      callers.set(name, caller);
      // What has only begun to wait counts as well: a thousand of it are not nothing.
      caller.held += holding.amount * (now - since + 1000);
      caller.waiting.push({ holding, since });
    }
    const [first, ...others] = callers.values();
    if (first === undefined) return 0;
    const { waiting } = others.reduce((most, caller) => (caller.held > most.held ? caller : most), first);
    waiting.sort((left, right) => left.since - right.since);
    const ended = waiting.slice(0, count);
    for (const { holding } of ended) {
      if (this.#holdings.delete(holding)) this.#total -= holding.amount;
      holding.giveWay();
    }
    return ended.length;
  }
}

/** Whom a response is for: the caller's shop, or its address while the request is not authenticated. */
export function callerOf(response: ServerResponse): string {
  // What Express adds is there once a request is in its hands.
  const { ip, socket } = response.req as IncomingMessage & { readonly ip?: string | undefined };
  const shopId = 'locals' in response ? findPrincipal(response as Response)?.shop.id : undefined;
  return shopId === undefined ? addressBucket(ip ?? socket.remoteAddress) : `shop:${shopId}`;
}

/** A reset, because the system would keep trying to deliver the bytes that it accepted. */
export const resetConnection = (socket: Socket | null): void => void socket?.resetAndDestroy();

/**
 * The bytes that this process holds for clients that it waits for: sixteen of the largest answers, shared by the whole
 * process, because its memory is.
 */
export const maximumHeldBytes = 128 * 1024 * 1024;

const heldBytes = new CallerLedger();

/**
 * Counts bytes that are kept for a request or its response. Beyond the maximum the caller that holds most loses the
 * connection of what it holds for longest.
 * @returns what ends the count
 */
export function holdBytes(response: ServerResponse, bytes: number): () => void {
  const since = performance.now();
  const caller = callerOf(response);
  const { socket } = response.req;
  const release = heldBytes.hold({
    caller: () => caller,
    amount: bytes,
    waitsSince: () => since,
    giveWay: () => resetConnection(socket),
  });
  while (heldBytes.total > maximumHeldBytes && heldBytes.makeRoom() > 0);
  return release;
}
