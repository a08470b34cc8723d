import type { Response } from 'express';
import type { Log } from '../../../observability/log';
import { holdBytes } from '../../request/buffered-bytes';
import { begin } from '../../response/send';
import { toApiError } from '../../../errors/to-api-error';
import type { ChangesPage } from './changes-page';
import { toEvent } from './changes-page';
import type { WaitOutcome } from './waiting-clients';

/** A client that reads on after its first page. */
export interface Follower {
  readonly waitForChange: (milliseconds: number) => Promise<WaitOutcome>;
  readonly pause: (milliseconds: number) => Promise<WaitOutcome>;
  /** Charges and counts the next page, once. @returns false if the key has no calls left */
  readonly pay: () => Promise<boolean>;
  /** Reads the page after a cursor with the rights that the caller has now. @returns undefined if the wait has ended */
  readonly readAfter: (cursor: string) => Promise<ChangesPage | undefined>;
}

/** Interval of keep-alive comments, so that proxies do not close the connection. */
const heartbeatMilliseconds = 20_000;
/** Reconnection delay sent to clients. */
const reconnectMilliseconds = 2_000;

/**
 * Sends changes as server-sent events (HTML, section 9.2) until the client disconnects: an event for each change, whose
 * id is the cursor after it, and an event `current` whenever the client is up to date.
 *
 * The credential is read again before each page. If access is lost, or the position becomes invalid, the stream ends:
 * the client reconnects and gets the error with its status. Each page is charged as a call; a stream whose key has none
 * left waits until it has.
 */
export async function streamChanges(
  response: Response,
  headers: readonly string[],
  first: ChangesPage,
  follow: () => Follower,
  log: Log,
): Promise<void> {
  response.locals.isEndless = true;
  // Disables buffering in nginx.
  begin(response, [...headers, 'Content-Type', 'text/event-stream', 'X-Accel-Buffering', 'no']);
  if (response.req.method === 'HEAD') return void response.end();
  // Alone, so that Node.js keeps them as one string: its hundred parts are a seventh of what a client occupies.
  response.flushHeaders();
  response.write(`retry: ${reconnectMilliseconds}\n\n`);
  try {
    await sendPages(response, first, follow());
  } catch (error) {
    const found = toApiError(error);
    const isOurs = found.status >= 500;
    const line = { requestId: response.locals.requestId, ...(isOurs && { err: found }) };
    log[isOurs ? 'error' : 'info'](line, `closed a change stream: ${found.message}`);
  }
  response.end();
}

async function sendPages(response: Response, first: ChangesPage, follower: Follower): Promise<void> {
  const pause = async (milliseconds: number): Promise<boolean> => {
    if ((await follower.pause(milliseconds)) === 'ended') return false;
    await write(response, [heartbeat]);
    return true;
  };
  const waitForChange = async (): Promise<boolean> => {
    for (;;) {
      const outcome = await follower.waitForChange(heartbeatMilliseconds);
      if (outcome !== 'late') return outcome === 'changed';
      await write(response, [heartbeat]);
    }
  };
  const payForPage = async (): Promise<boolean> => {
    while (!(await follower.pay())) {
      const milliseconds = (response.locals.rateLimit?.resetSeconds ?? 1) * 1000;
      if (!(await pause(Math.min(milliseconds, heartbeatMilliseconds)))) return false;
    }
    return true;
  };
  const readNext = async (after: string): Promise<ChangesPage | undefined> => {
    while (await payForPage()) {
      try {
        return await follower.readAfter(after);
      } catch (error) {
        // A stream survives a database outage.
        if (toApiError(error).code !== 'SERVICE_UNAVAILABLE') throw error;
        if (!(await pause(reconnectMilliseconds))) break;
      }
    }
    return undefined;
  };

  let isCurrent = false;
  for (let page: ChangesPage | undefined = first; page !== undefined; page = await readNext(page.nextCursor)) {
    const becomesCurrent = !page.hasMore && !(isCurrent && page.isEmpty);
    await write(response, becomesCurrent ? [page.body, toCurrentEvent(page)] : [page.body]);
    isCurrent = !page.hasMore;
    if ((isCurrent && !(await waitForChange())) || response.closed) return;
  }
}

const heartbeat = Buffer.from(':\n\n');

/** Its id is the position from which an up-to-date client continues. */
const toCurrentEvent = ({ nextCursor }: ChangesPage): Buffer =>
  Buffer.from(toEvent(`event: current\nid: ${nextCursor}`, JSON.stringify({ next_cursor: nextCursor })));

/** Writes events and waits until the connection has taken them; waiting bytes are counted. */
async function write(response: Response, events: readonly Buffer[]): Promise<void> {
  const bytes = events.length === 1 ? (events[0] as Buffer) : Buffer.concat(events);
  if (bytes.length === 0 || response.closed) return;
  if (response.write(bytes)) return;
  const release = holdBytes(response, bytes.length);
  try {
    await new Promise<void>((resolve) => {
      const proceed = () => {
        response.off('drain', proceed).off('close', proceed);
        resolve();
      };
      response.on('drain', proceed).on('close', proceed);
    });
  } finally {
    release();
  }
}
