import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import type { Response } from 'express';
import { burdenSince, CallerLedger } from '../../common/caller-ledger';
import { addressBucket } from '../../rate-limit/rate-limiter';
import { findPrincipal } from './request';

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
export const maximumBufferedBytes = 128 * 1024 * 1024;

const bufferedBytes = new CallerLedger();

/**
 * Counts bytes that are kept for a request or its response. Beyond the maximum the caller that holds most loses the
 * connection of what it holds for longest.
 * @returns what ends the count
 */
export function holdBytes(response: ServerResponse, bytes: number): () => void {
  const since = performance.now();
  const caller = callerOf(response);
  const { socket } = response.req;
  const release = bufferedBytes.hold({
    caller: () => caller,
    amount: bytes,
    burden: () => burdenSince(since, bytes),
    giveWay: () => resetConnection(socket),
  });
  while (bufferedBytes.total > maximumBufferedBytes && bufferedBytes.evict() > 0);
  return release;
}
