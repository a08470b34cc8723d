import { randomBytes } from 'node:crypto';
import type { Request, RequestHandler, Response } from 'express';
import { Router } from 'express';
import { answerPlainOptions, refuseMethod } from '../../response/methods';
import { routes } from '../../routes';
import type { ExplorerOptions } from './explorer-options';
import { optionsFor } from './explorer-options';
import type { Page } from './page';
import { renderSandboxPage } from './sandbox-page';

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
