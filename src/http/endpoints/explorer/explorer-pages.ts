import { randomBytes } from 'node:crypto';
import type { Request, RequestHandler, Response } from 'express';
import { Router } from 'express';
import { answerPlainOptions, refuseMethod } from '../../response/methods';
import { routes } from '../../routes';
import type { ExplorerOptions } from './explorer-options';
import { optionsFor } from './explorer-options';
import { findGraphiqlAssets } from './graphiql-assets';
import { assetsPath, renderGraphiqlPage } from './graphiql-page';
import type { Page } from './page';
import { renderSandboxPage } from './sandbox-page';

/**
 * The pages for people, in every environment but production. Mount it at the root and before `/graphql` itself: it
 * answers GET `/graphql` for browsers (and passes on every GraphQL request), `/explorer` with its files, and the icon
 * that Apollo's script requests.
 */
export function createExplorerPages(
  options: ExplorerOptions,
  findAssets: () => ReadonlyMap<string, string> | undefined = findGraphiqlAssets,
): Router {
  const assets = findAssets();
  const router = Router({ caseSensitive: true, strict: true });
  router.use(createSandboxRouter(options, assets !== undefined));
  if (assets !== undefined) router.use(createGraphiqlRouter(options, assets));
  return router;
}

/** Apollo Sandbox at the path of the endpoint, for browsers only. */
function createSandboxRouter(options: ExplorerOptions, hasExplorer: boolean): Router {
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

/** GraphiQL at `/explorer`, which exists only where its packages are installed. */
function createGraphiqlRouter(options: ExplorerOptions, assets: ReadonlyMap<string, string>): Router {
  const router = Router({ caseSensitive: true, strict: true });
  mountFile(router, routes.explorer.path, (request, response) => {
    const filled = optionsFor(options, request.headers.host);
    sendPage(response, (nonce) => renderGraphiqlPage(filled, nonce));
  });
  for (const [name, file] of assets) {
    mountFile(router, `${assetsPath}/${name}`, (_request, response) => {
      response.sendFile(file, { maxAge: 3_600_000, headers: { 'X-Content-Type-Options': 'nosniff' } });
    });
  }
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
