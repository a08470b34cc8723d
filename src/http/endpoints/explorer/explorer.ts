import type { RequestHandler, Request, Response } from 'express';
import { Router } from 'express';
import { chargeCall } from '../../access/access-steps';
import { denyOtherOrigins, keepFromOtherOrigins, renameOperation } from '../../request/request';
import type { HttpDependencies } from '../../http-dependencies';
import { prepareHeaders } from '../../response/send';
import { routes } from '../../routes';
import { createStrictRouter } from '../mount-route';
import { randomBytes } from 'node:crypto';
import { answerPlainOptions, refuseMethod } from '../../response/methods';
import type { ExplorerOptions, Page } from './sandbox-page';
import { optionsFor, renderSandboxPage } from './sandbox-page';

/**
 * The pages for people. They contain the demo key, so no other site may read them. The one at /graphql comes before the
 * endpoint and passes on everything but a browser's navigation.
 */
export function mountExplorer(pages: Router, dependencies: HttpDependencies): Router {
  const router = createStrictRouter();
  // For all methods: with a route for GET alone, Express would answer OPTIONS itself.
  router.all(routes.graphql.path, countVisit(dependencies));
  router.all(routes.icon.path, denyOtherOrigins, putHeaders);
  router.use(pages);
  return router;
}

/** Needs no credential and counts against the address (D19, D26). */
const countVisit =
  ({ rateLimiter }: HttpDependencies): RequestHandler =>
  async (request, response, next) => {
    if (!isBrowserVisit(request)) return next('router');
    renameOperation(response, routes.explorer.operation);
    keepFromOtherOrigins(response);
    const refusal = await chargeCall(rateLimiter, request, response);
    if (refusal !== undefined) throw refusal;
    prepareHeaders(response);
    next();
  };

/** The pages write their own responses. */
const putHeaders: RequestHandler = (_request, response, next) => {
  prepareHeaders(response);
  next();
};

/**
 * Apollo Sandbox at the path of the endpoint, for browsers only, in every environment but production. Mount it before
 * `/graphql` itself: it passes on every GraphQL request. And the icon that Apollo's script requests.
 * @param hasExplorer whether `/explorer` is served: who has no internet is led there
 */
export function createExplorerPages(options: ExplorerOptions, hasExplorer: boolean): Router {
  const router = Router({ caseSensitive: true, strict: true });
  router.all(routes.graphql.path, (request, response, next) => {
    if (!isBrowserVisit(request)) {
      next();
      return;
    }
    response.vary('Accept');
    const filled = optionsFor(options, request.headers.host);
    sendPage(response, (nonce) => renderSandboxPage(filled, hasExplorer, nonce));
  });
  mountFile(router, routes.icon.path, (_request, response) => {
    response.status(204).set('Cache-Control', 'public, max-age=86400').end();
  });
  return router;
}

function mountFile(router: Router, path: string, answer: RequestHandler): void {
  const { methods } = routes.explorerFiles;
  router.route(path).get(answer).options(answerPlainOptions(methods)).all(refuseMethod(methods));
}

/** A navigation: prefers HTML to JSON and carries no operation. An `Accept` of anything gets JSON. */
export const isBrowserVisit = (request: Request): boolean =>
  (request.method === 'GET' || request.method === 'HEAD') &&
  !request.originalUrl.includes('?') &&
  request.accepts(['application/json', 'application/graphql-response+json', 'text/html']) === 'text/html';

function sendPage(response: Response, render: (nonce: string) => Page): void {
  const { html, contentSecurityPolicy } = render(randomBytes(18).toString('base64'));
  response
    .status(200)
    .set({
      'Content-Security-Policy': contentSecurityPolicy,
      'X-Content-Type-Options': 'nosniff',
      'Referrer-Policy': 'no-referrer',
      // The nonce is valid for one response only, and no cache may store the demo key.
      'Cache-Control': 'no-store',
    })
    .type('html')
    .send(html);
}
