import { join } from 'node:path';
import type { Request, RequestHandler, Router } from 'express';
import type { HttpDependencies } from '../../http-dependencies';
import type { Route } from '../../routes';
import { pathPrefixOf } from '../../../common/public-url';
import { prepareHeaders } from '../../response/send';
import { routes, surfaceOf } from '../../routes';
import type { OpenApiDocument } from './openapi';
import { createPublicPages, pageHeaders } from './public-pages';
import type { ReferenceOptions } from './reference-options';
import type { Link } from './reference-text';
import { readReferenceText, toLlmsText, toReferenceMarkdown } from './reference-text';
import { renderFrontPage, renderReferencePage, renderUnknownPage } from './render-pages';
import { createPublicRepresentation } from './representation';

const json = 'application/json';

/** The front page, the reference, and both as Markdown. */
export function mountReference(options: ReferenceOptions, dependencies: HttpDependencies): Router {
  const { publicUrl, openApiDocument } = dependencies;
  const text = readReferenceText(publicUrl, openApiDocument as OpenApiDocument);
  const links = listLinks(dependencies);
  const { router, mount, mountText, mountFiles, createPages } = createPublicPages(options, dependencies);

  const front = createPages((demoKey) => renderFrontPage(text, links, demoKey));
  const index = createPublicRepresentation(toIndex(text, links), json, { Vary: 'Accept, Accept-Encoding' });
  mount(routes.index, (request) => (prefersHtml(request) ? front(request) : index));
  mount(
    routes.reference,
    createPages((demoKey) => renderReferencePage(text, demoKey)),
  );
  mountText(routes.referenceMarkdown, toReferenceMarkdown(text), 'text/markdown; charset=utf-8');
  mountText(routes.llms, toLlmsText(text, links), 'text/plain; charset=utf-8');
  mountFiles(
    routes.referenceFiles,
    ['reference.css', 'console.js'].map((name) => ({ name, path: join(__dirname, 'assets', name) })),
  );
  return router;
}

/** Answers a browser's visit of a path that does not exist; everything else is passed on to the JSON of its surface. */
export function answerUnknownVisit({ publicUrl }: HttpDependencies): RequestHandler {
  const body = Buffer.from(renderUnknownPage(pathPrefixOf(publicUrl)));
  return (request, response, next) => {
    const isVisit = request.method === 'GET' || request.method === 'HEAD';
    if (!isVisit || surfaceOf(request.originalUrl) !== 'other' || !prefersHtml(request)) return next();
    prepareHeaders(response);
    response
      .status(404)
      .set({ ...pageHeaders, 'Cache-Control': 'no-store', 'Content-Type': 'text/html; charset=utf-8' })
      .end(body);
  };
}

/** A browser asks for HTML before JSON; programs that accept anything get JSON. */
const prefersHtml = (request: Request): boolean => request.accepts([json, 'text/html']) === 'text/html';

/** What JSON clients get at `/`. */
function toIndex({ title, version, summary, publicUrl }: ReturnType<typeof readReferenceText>, links: readonly Link[]) {
  const addresses = Object.fromEntries(links.map(({ key, path }) => [key, `${publicUrl}${path}`]));
  return JSON.stringify({ name: title, version, description: summary, links: addresses });
}

function listLinks({ explorer, metrics, exports }: HttpDependencies): readonly Link[] {
  const link = (key: string, name: string, { path }: Route, meaning: string): Link => ({ key, name, path, meaning });
  return [
    link('reference', 'Reference', routes.reference, 'every operation with its GraphQL twin, guides, errors'),
    link('dashboard', 'Dashboard', routes.dashboard, 'figures of a shop over GraphQL, each with its query'),
    link('reference_markdown', 'Reference as Markdown', routes.referenceMarkdown, 'the same in one text'),
    link('openapi', 'OpenAPI document', routes.openApi, 'the REST operations, for generators'),
    ...(explorer === undefined
      ? []
      : [link('explorer', 'GraphQL explorer', routes.explorer, 'GraphiQL with an example; works offline')]),
    link(
      'graphql',
      explorer === undefined ? 'GraphQL' : 'GraphQL, and Apollo Sandbox',
      routes.graphql,
      explorer === undefined ? 'the endpoint' : 'the endpoint; a browser gets the Sandbox, which needs the internet',
    ),
    ...(exports === undefined
      ? []
      : [
          {
            ...link('export', 'Export', routes.export, 'a whole shop as lines of JSON from one snapshot'),
            explainedAt: `${routes.reference.path}#mirroring-a-shop`,
          },
        ]),
    {
      ...link('token', 'Token endpoint', routes.token, 'OAuth 2.0 client credentials'),
      explainedAt: `${routes.reference.path}#credentials`,
    },
    link(
      'authorization_server',
      'Authorization server metadata',
      { ...routes.wellKnown, path: '/.well-known/oauth-authorization-server' },
      'for standard OAuth clients',
    ),
    link('alive', 'Liveness', routes.live, 'whether the process runs'),
    link('ready', 'Readiness', routes.ready, 'whether it takes requests, and why not'),
    ...(metrics === undefined ? [] : [link('metrics', 'Metrics', routes.metrics, 'for Prometheus')]),
  ];
}
