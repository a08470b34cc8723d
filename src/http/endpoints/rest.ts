import type { Request, Response, Router } from 'express';
import type { RestOperation } from '../../../rest/operation';
import { nameParameter, parseQueryString, toIgnoredHeader, readVariables } from '../../../rest/operation';
import { readOperationDocument } from '../../../rest/operations';
import { ApiError } from '../../errors/api-error';
import { createAccessSteps } from '../access/access-steps';
import type { HttpDependencies } from '../http-dependencies';
import { principalOf } from '../request/request';
import { chooseEncoding, matchesAny, readKnownTags, send, sendEncoded, tagOfEncoding } from '../response/send';
import { createPublicRepresentation, createRepresentationHandler } from '../response/representation';
import { once } from '../../common/once';
import { sendLong } from '../response/send-long';
import { queryOf, restRoutes, routes } from '../routes';
import { createStrictRouter, mountRoute } from './mount-route';

/**
 * D7: clients that cache a response revalidate it with its entity tag; shared caches do not store it. `must-revalidate`
 * adds nothing to no-cache, but without it some caches do not store responses to requests with Authorization
 * (docs/decisions.md 8).
 */
const cacheLines = ['Cache-Control', 'private, no-cache, must-revalidate', 'Vary', 'Authorization, Accept-Encoding'];

/**
 * The operations of rest/, each after the access steps: parameters → variables of its fixed document → the graph →
 * body. And the document that describes them.
 */
export function mountRest(dependencies: HttpDependencies): Router {
  const { graph, openApiDocument } = dependencies;
  const router = createStrictRouter();

  for (const route of restRoutes) {
    const { operationId, toBody } = route.rest;
    const operation = graph.prepare(readOperationDocument(operationId), toBody);
    const answer = async (request: Request, response: Response): Promise<void> => {
      const encoding = chooseEncoding(request);
      const { variables, ignored } = readRequest(route.rest, request);
      const knownTags = readKnownTags(request, encoding);
      const principal = principalOf(response);
      const { etag, body } = await graph.answer({ operation, principal, variables, knownTags }).catch(nameParameter);
      const headers = ['ETag', tagOfEncoding(etag, encoding), ...cacheLines, ...toIgnoredHeader(ignored)];
      const isUnwanted = matchesAny(request);
      if (isUnwanted && body !== undefined && !Buffer.isBuffer(body)) body.cancel();
      if (body === undefined || isUnwanted) return send(response, 304, headers);
      if (!Buffer.isBuffer(body)) {
        const long = { ...body, headers: [...headers, 'Content-Type', 'application/json'], encoding };
        return void (await sendLong(request, response, long, dependencies));
      }
      await sendEncoded(request, response, body, headers, encoding);
    };
    mountRoute(router, route, [...createAccessSteps(route, dependencies), answer]);
  }

  mountRoute(router, routes.openApi, [
    ...createAccessSteps(routes.openApi, dependencies),
    createRepresentationHandler(
      once(() => createPublicRepresentation(JSON.stringify(openApiDocument), 'application/json')),
    ),
  ]);
  return router;
}

/** The document's variables, or the error about a parameter, and the parameters that the operation does not have. */
function readRequest(operation: RestOperation, { params, originalUrl }: Request): Readonly<ReadRequest> {
  try {
    const query = parseQueryString(queryOf(originalUrl));
    const variables = readVariables(operation.parameters, { path: params as Record<string, string>, query });
    return { variables, ignored: query.listIgnored() };
  } catch (error) {
    if (!(error instanceof ApiError)) throw error;
    return { variables: error, ignored: [] };
  }
}

interface ReadRequest {
  /** The graph throws the error, after others that come first (D1). */
  variables: Readonly<Record<string, unknown>> | ApiError;
  ignored: readonly string[];
}
