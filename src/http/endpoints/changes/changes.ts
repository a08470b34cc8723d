import type { Request, RequestHandler, Response, Router } from 'express';
import type { Rule } from '../../../../rest/operation';
import { parseQueryString, readParameter, toIgnoredHeader } from '../../../../rest/operation';
import type { ListChangesVariables } from '../../../../rest/feed/listChanges';
import { listChanges, readListChangesDocument, toNextPage } from '../../../../rest/feed/listChanges';
import { ApiError } from '../../../errors/api-error';
import { authenticateAgain, chargeCall, createAccessSteps } from '../../access/access-steps';
import type { ChangesEndpoint, HttpDependencies } from '../../http-dependencies';
import { handOver, principalOf } from '../../request/request';
import { chooseEncoding, sendEncoded } from '../../response/send';
import { longestWaitSeconds, queryOf, routes } from '../../routes';
import { createStrictRouter, mountRoute } from '../mount-route';
import type { ChangesPage } from './changes-page';
import { createPageMaker, toEventsPage, toJsonPage } from './changes-page';
import type { ChangesStream, ReadPage, StreamParts } from './stream-changes';
import { changesHeaders, streamChanges } from './stream-changes';
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

  const readerOf = (toPageOf: (body: Buffer) => ChangesPage): ReadPage => {
    const toPage = createPageMaker(toPageOf);
    return async (principal, variables) =>
      toPage((await graph.answer({ operation, principal, variables, knownTags: [] })).body as Buffer);
  };
  const readJson = readerOf(toJsonPage);
  const readEvents = readerOf(toEventsPage);

  /** Charges and counts each further page as a call. @returns false if the key has no calls left */
  const payForPage = async (request: Request, response: Response): Promise<boolean> => {
    if ((await chargeCall(rateLimiter, request, response)) !== undefined) return false;
    endpoint.onFurtherPage(principalOf(response));
    return true;
  };

  const answer: RequestHandler = async (request, response) => {
    const principal = principalOf(response);
    const asksForStream = request.accepts(['application/json', 'text/event-stream']) === 'text/event-stream';
    const { variables, waitSeconds, ignored } = readCall(request, asksForStream);
    if (!(await dependencies.waitForSlot(request, response))) return;
    const first = await (asksForStream ? readEvents : readJson)(principal, variables);
    // The following steps wait and are scheduled separately.
    handOver(response);
    // Already answered with 503, or the client disconnected.
    if (response.headersSent || response.closed || variables instanceof ApiError) return;
    const stream: ChangesStream = { request, response, principal, variables, ignored };
    if (asksForStream) return streamChanges(stream, first, streamParts(request, response));
    const page = waitSeconds === 0 || !first.isEmpty ? first : await waitForPage(first, variables);
    if (response.headersSent || response.closed) return;
    const headers = [...changesHeaders, ...toIgnoredHeader(ignored)];
    await sendEncoded(request, response, page.body, headers, chooseEncoding(request));

    async function waitForPage(empty: ChangesPage, given: ListChangesVariables): Promise<ChangesPage> {
      const until = performance.now() + waitSeconds * 1000;
      const client = clients.enter(principal.shop.id, response);
      response.once('close', endpoint.onWaiting());
      let page = empty;
      let caller = principal;
      while (page.isEmpty) {
        const after = toNextPage(given, page.nextCursor);
        if ((await client.wait(caller, until - performance.now())) !== 'changed') break;
        if (!(await payForPage(request, response))) break;
        page = await clients.inTurn(principal.shop.id, async () => {
          caller = await authenticateAgain(dependencies, request, response);
          return readJson(caller, after);
        });
      }
      return page;
    }
  };

  const streamParts = (request: Request, response: Response): StreamParts => ({
    clients,
    tryToPay: () => payForPage(request, response),
    log: dependencies.log,
    readPage: readEvents,
    authenticateAgain: () => authenticateAgain(dependencies, request, response),
    onWaiting: endpoint.onWaiting,
  });

  mountRoute(router, routes.changes, dependencies, [...createAccessSteps(routes.changes, dependencies), answer]);
  return router;
}

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
  expected: () => `an integer number of seconds from 0 to ${longestWaitSeconds}`,
};
