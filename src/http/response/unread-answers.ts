import type { Response } from 'express';
import type { LaneName } from '../../fair-queue';
import { findPrincipal } from '../request/request-state';

/** Smaller ones are bounded by the number of connections. */
const smallBytes = 16 * 1024;

/** The bytes of answers that this process holds because clients have not read them yet: sixteen of the largest. */
export const maximumUnreadBytes = 128 * 1024 * 1024;

interface Lane {
  bytes: number;
  /** In the order in which they were started. */
  readonly answers: Map<Response, number>;
}

/** Shared by the whole process, because its memory is. */
const lanes = new Map<LaneName, Lane>();
let unreadBytes = 0;

/**
 * Counts an answer until its client has read it. A client that reads slowly is not a stalled one, and may hold as many
 * answers as it may make calls. If that is too much for the process, the oldest answers of the shop that holds most
 * lose their connections.
 * @param length The bytes that are held for this answer, whether or not they were passed to the system.
 */
export function holdUntilRead(response: Response, length: number): void {
  if (length <= smallBytes || response.destroyed) return;
  const name = findPrincipal(response)?.shop.id;
  const lane = lanes.get(name) ?? { bytes: 0, answers: new Map() };
  lanes.set(name, lane);
  lane.answers.set(response, length);
  lane.bytes += length;
  unreadBytes += length;
  response.once('close', () => release(name, lane, response));
  while (unreadBytes > maximumUnreadBytes) cutOldestOfLargest();
}

function release(name: LaneName, lane: Lane, response: Response): void {
  const bytes = lane.answers.get(response);
  if (bytes === undefined) return;
  lane.answers.delete(response);
  lane.bytes -= bytes;
  unreadBytes -= bytes;
  if (lane.answers.size === 0) lanes.delete(name);
}

function cutOldestOfLargest(): void {
  let [name, largest] = [...lanes][0] as [LaneName, Lane];
  for (const [other, lane] of lanes) if (lane.bytes > largest.bytes) [name, largest] = [other, lane];
  const [response] = largest.answers.keys() as Iterable<Response> as [Response];
  release(name, largest, response);
  // A reset, because the system would keep trying to deliver the bytes that it accepted.
  response.socket?.resetAndDestroy();
}
