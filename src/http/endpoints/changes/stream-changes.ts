import type { Request, Response } from 'express';
import type { ListChangesVariables } from '../../../../rest/feed/listChanges';
import { toNextPage } from '../../../../rest/feed/listChanges';
import { toIgnoredHeader } from '../../../../rest/operation';
import type { Principal } from '../../../auth/principal';
import type { ApiError } from '../../../errors/api-error';
import type { HttpLog } from '../../http-dependencies';
import { holdBytes } from '../../request/buffered-bytes';
import { countBytes, rateLimitOf, requestIdOf } from '../../request/request';
import { prepareHeaders, setHeaders } from '../../response/send';
import { toApiError } from '../../../errors/to-api-error';
import type { ChangesPage } from './changes-page';
import { toEvent } from './changes-page';
import type { WaitingClients } from './waiting-clients';

/** Reads one page of the feed, of as many entries as fit, as it is sent. */
export type ReadPage = (principal: Principal, variables: ListChangesVariables | ApiError) => Promise<ChangesPage>;

export interface ChangesStream {
  readonly request: Request;
  readonly response: Response;
  readonly principal: Principal;
  readonly variables: ListChangesVariables;
  readonly ignored: readonly string[];
}

export interface StreamParts {
  readonly clients: WaitingClients;
  /** Charges and counts a page. */
  readonly tryToPay: () => Promise<boolean>;
  readonly log: HttpLog;
  readonly readPage: ReadPage;
  /** The current state of the caller. */
  readonly authenticateAgain: () => Promise<Principal>;
  /** Counts a waiting client. @returns a function that ends the count */
  readonly onWaiting: () => () => void;
}

export const changesHeaders = ['Cache-Control', 'no-store', 'Vary', 'Authorization, Accept, Accept-Encoding'];

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
export async function streamChanges(stream: ChangesStream, first: ChangesPage, parts: StreamParts): Promise<void> {
  const { request, response, ignored } = stream;
  prepareHeaders(response);
  setHeaders(response, [...changesHeaders, ...toIgnoredHeader(ignored), 'Content-Type', 'text/event-stream']);
  // Disables buffering in nginx.
  response.setHeader('X-Accel-Buffering', 'no');
  response.status(200);
  if (request.method === 'HEAD') return void response.end();
  response.once('close', parts.onWaiting());
  countBytes(response);
  response.write(`retry: ${reconnectMilliseconds}\n\n`);
  try {
    await sendPages(stream, first, parts);
  } catch (error) {
    const found = toApiError(error);
    const message = `closed a change stream: ${found.message}`;
    parts.log({
      level: found.status >= 500 ? 'error' : 'info',
      message,
      requestId: requestIdOf(response),
      ...(found.status >= 500 && { error: found }),
    });
  }
  response.end();
}

async function sendPages(
  { response, principal, variables }: ChangesStream,
  first: ChangesPage,
  { clients, tryToPay, readPage, authenticateAgain }: StreamParts,
): Promise<void> {
  const shopId = principal.shop.id;
  const client = clients.enter(shopId, response);
  let caller = principal;

  const pause = async (milliseconds: number): Promise<boolean> => {
    if ((await client.wait(undefined, milliseconds)) === 'ended') return false;
    await write(response, [heartbeat]);
    return true;
  };
  const waitForChange = async (): Promise<boolean> => {
    for (;;) {
      const outcome = await client.wait(caller, heartbeatMilliseconds);
      if (outcome !== 'late') return outcome === 'changed';
      await write(response, [heartbeat]);
    }
  };
  const payForPage = async (): Promise<boolean> => {
    while (!(await tryToPay())) {
      const milliseconds = (rateLimitOf(response)?.resetSeconds ?? 1) * 1000;
      if (!(await pause(Math.min(milliseconds, heartbeatMilliseconds)))) return false;
    }
    return true;
  };
  const readNext = async (after: string): Promise<ChangesPage | undefined> => {
    for (let isPaid = false; ;) {
      if (!isPaid && !(await payForPage())) return undefined;
      isPaid = true;
      try {
        return await clients.inTurn(shopId, async () => {
          caller = await authenticateAgain();
          isPaid = false;
          return readPage(caller, toNextPage(variables, after));
        });
      } catch (error) {
        // A stream survives a database outage.
        if (toApiError(error).code !== 'SERVICE_UNAVAILABLE') throw error;
        if (!(await pause(reconnectMilliseconds))) return undefined;
      }
    }
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
      response.once('drain', resolve);
      response.once('close', resolve);
    });
  } finally {
    release();
  }
}
