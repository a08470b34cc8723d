import type { Request, RequestHandler, Response, Router } from 'express';
import type { Rule } from '../../../../rest/operation';
import { parseQueryString, readParameter, toIgnoredHeader } from '../../../../rest/operation';
import type { ListChangesVariables } from '../../../../rest/feed/listChanges';
import { listChanges, readListChangesDocument, toNextPage } from '../../../../rest/feed/listChanges';
import type { Principal } from '../../../auth/principal';
import { ApiError } from '../../../errors/api-error';
import { authenticateAgain, chargeCall, createAccessSteps } from '../../access/access-steps';
import type { ChangesEndpoint, HttpDependencies } from '../../http-dependencies';
import { principalOf } from '../../request/request';
import { chooseEncoding, sendEncoded } from '../../response/send';
import { longestWaitSeconds, queryOf, routes } from '../../routes';
import { createStrictRouter, mountRoute } from '../mount-route';
import type { ChangesPage, ToPage } from './changes-page';
import { createPageMaker, shareReads, toEventsPage, toJsonPage } from './changes-page';
import type { Follower } from './stream-changes';
import { streamChanges } from './stream-changes';
import { WaitingClients } from './waiting-clients';

/**
 * `GET /changes`: the change feed for REST clients. One page as JSON, which `wait` delays until there is a change; or
 * all changes as they happen, as server-sent events. There are no webhooks: a service that calls URLs of its clients
 * can be made to call its own network (docs/integrators.md builds one from the stream).
 */
export function mountChanges(endpoint: ChangesEndpoint, dependencies: HttpDependencies): Router {
  const router = createStrictRouter();
  const clients = new WaitingClients(endpoint);
  const { graph, rateLimiter } = dependencies;
  const operation = graph.prepare(readListChangesDocument(), listChanges.toBody as (data: object) => object);

  const readerOf = (toPageOf: ToPage) => {
    const toPage = createPageMaker(toPageOf);
    return shareReads(toPageKey, async ({ principal, variables }: PageCall): Promise<ChangesPage> => {
      const { body } = await graph.answer({ operation, principal, variables, knownTags: [] });
      return toPage(body as Buffer, principal.shop.id);
    });
  };
  const readJson = readerOf(toJsonPage);
  const readEvents = readerOf(toEventsPage);

  const follow = (request: Request, response: Response, readAfter: ReadAfter): Follower => {
    let caller = principalOf(response);
    let isPaid = false;
    const client = clients.enter(caller.shop.id, response);
    response.on('close', endpoint.onWaiting());
    return {
      waitForChange: (milliseconds) => client.wait(caller, milliseconds),
      pause: (milliseconds) => client.wait(undefined, milliseconds),
      async pay() {
        if (isPaid) return true;
        isPaid = (await chargeCall(rateLimiter, request, response)) === undefined;
        if (isPaid) endpoint.onFurtherPage(caller);
        return isPaid;
      },
      readAfter: (cursor) =>
        client.inTurn(async () => {
          caller = await authenticateAgain(dependencies, request, response);
          isPaid = false;
          return readAfter(caller, cursor);
        }),
    };
  };

  const answer: RequestHandler = async (request, response) => {
    // With their charset, because clients may name it too.
    const isStream =
      request.accepts(['application/json; charset=utf-8', 'text/event-stream; charset=utf-8']) ===
      'text/event-stream; charset=utf-8';
    const { variables, waitSeconds, ignored } = readCall(request, isStream);
    if (!(await dependencies.waitForSlot(request, response))) return;
    const readPage = isStream ? readEvents : readJson;
    const first = await readPage({ principal: principalOf(response), variables });
    // The following steps wait and are scheduled separately.
    response.locals.onHandOver?.();
    // Already answered with 503, or the client disconnected.
    if (response.headersSent || response.closed || variables instanceof ApiError) return;
    const headers = [
      ...['Cache-Control', 'no-store', 'Vary', 'Authorization, Accept, Accept-Encoding'],
      ...toIgnoredHeader(ignored),
    ];
    const start = (): Follower =>
      follow(request, response, (caller, cursor) =>
        readPage({ principal: caller, variables: toNextPage(variables, cursor) }),
      );
    if (isStream) return streamChanges(response, headers, first, start, dependencies.log);
    const page = waitSeconds === 0 || !first.isEmpty ? first : await waitForPage(first, start(), waitSeconds);
    if (response.headersSent || response.closed) return;
    await sendEncoded(request, response, page.body, headers, chooseEncoding(request));
  };

  mountRoute(router, routes.changes, [...createAccessSteps(routes.changes, dependencies), answer]);
  return router;
}

interface PageCall {
  readonly principal: Principal;
  readonly variables: ListChangesVariables | ApiError;
}

/** Everything that determines a page (docs/api-rules.md D7). */
const toPageKey = ({ principal: { shop, scopes, dataVersion }, variables }: PageCall): unknown =>
  variables instanceof ApiError ? variables : JSON.stringify([shop.id, scopes, dataVersion, variables]);

/** The first page that is not empty, or the last page read once the wait has ended or the key has no calls left. */
async function waitForPage(first: ChangesPage, follower: Follower, seconds: number): Promise<ChangesPage> {
  const until = performance.now() + seconds * 1000;
  let page = first;
  while (page.isEmpty) {
    if ((await follower.waitForChange(until - performance.now())) !== 'changed' || !(await follower.pay())) break;
    const next = await follower.readAfter(page.nextCursor);
    if (next === undefined) break;
    page = next;
  }
  return page;
}

type ReadAfter = (caller: Principal, cursor: string) => Promise<ChangesPage>;

interface ChangesCall {
  /** Or an error, which the graph throws after errors with precedence (D1). */
  readonly variables: ListChangesVariables | ApiError;
  readonly waitSeconds: number;
  readonly ignored: readonly string[];
}

function readCall(request: Request, isStream: boolean): ChangesCall {
  try {
    const query = parseQueryString(queryOf(request.originalUrl));
    const given = listChanges.readVariables(query);
    const waitSeconds = readParameter(query, 'wait', wait);
    const ignored = query.listIgnored();
    if (!isStream) return { variables: given, waitSeconds: request.method === 'HEAD' ? 0 : waitSeconds, ignored };
    const lastEventId = request.get('Last-Event-ID') ?? '';
    const resumed = lastEventId === '' ? given : toNextPage(given, lastEventId);
    return { variables: { ...resumed, hasCursors: true }, waitSeconds: 0, ignored };
  } catch (error) {
    if (!(error instanceof ApiError)) throw error;
    return { variables: error, waitSeconds: 0, ignored: [] };
  }
}

const wait: Rule<number> = {
  type: 'integer',
  absent: 0,
  parse: (given) =>
    /^(?:0|[1-9][0-9]?)$/.test(given) && Number(given) <= longestWaitSeconds ? Number(given) : undefined,
  expected: () => `a whole number of seconds from 0 to ${longestWaitSeconds}`,
};
