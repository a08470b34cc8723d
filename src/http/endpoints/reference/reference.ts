import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Request, Router } from 'express';
import type { HttpDependencies } from '../../http-dependencies';
import type { Route } from '../../routes';
import { routes } from '../../routes';
import { hasOwnName } from '../explorer/explorer-options';
import { createStrictRouter, mountRoute } from '../mount-route';
import type { OpenApiDocument } from './openapi';
import type { ReferenceOptions } from './reference-options';
import type { Link } from './reference-text';
import { readReferenceText, toLlmsText, toReferenceMarkdown } from './reference-text';
import { contentSecurityPolicy, renderFrontPage, renderReferencePage } from './render-pages';
import type { Representation } from './representation';
import { createPrivateRepresentation, createPublicRepresentation, createRepresentationHandler } from './representation';

const html = 'text/html; charset=utf-8';
const markdown = 'text/markdown; charset=utf-8';
const json = 'application/json';

const assets = [
  ['reference.css', 'text/css; charset=utf-8'],
  ['console.js', 'text/javascript; charset=utf-8'],
] as const;

/** The front page, the reference, and both as Markdown. All of it is made at the start and kept. */
export function mountReference(options: ReferenceOptions, dependencies: HttpDependencies): Router {
  const { publicUrl, openApiDocument } = dependencies;
  const text = readReferenceText(publicUrl, openApiDocument as OpenApiDocument);
  const links = listLinks(dependencies);
  const router = createStrictRouter();
  const mount = (route: Route, choose: (request: Request) => Representation): void =>
    mountRoute(router, route, dependencies, [createRepresentationHandler(choose)]);

  const front = createPages((demoKey) => renderFrontPage(text, links, demoKey), options, publicUrl);
  const index = createPublicRepresentation(toIndex(text, links), json, { Vary: 'Accept, Accept-Encoding' });
  mount(routes.index, (request) => (prefersHtml(request) ? front(request) : index));
  mount(
    routes.reference,
    createPages((demoKey) => renderReferencePage(text, demoKey), options, publicUrl),
  );
  mountText(routes.referenceMarkdown, toReferenceMarkdown(text), markdown);
  mountText(routes.llms, toLlmsText(text, links), 'text/plain; charset=utf-8');
  for (const [name, contentType] of assets) {
    const path = routes.referenceFiles.path.replace('{*file}', name);
    mountText({ ...routes.referenceFiles, path }, readFileSync(join(__dirname, 'assets', name), 'utf8'), contentType);
  }
  return router;

  function mountText(route: Route, content: string, contentType: string): void {
    const representation = createPublicRepresentation(content, contentType);
    mount(route, () => representation);
  }
}

/** A page with the demo key for people of this machine, and one without it for all others. */
function createPages(
  render: (demoKey: string | undefined) => string,
  { demoApiKey }: ReferenceOptions,
  publicUrl: string,
): (request: Request) => Representation {
  const headers = {
    'Content-Security-Policy': contentSecurityPolicy,
    'Referrer-Policy': 'no-referrer',
    Vary: 'Accept, Accept-Encoding',
  };
  const open = createPublicRepresentation(render(undefined), html, headers);
  if (demoApiKey === undefined) return () => open;
  const filled = createPrivateRepresentation(render(demoApiKey), html, headers);
  const bare: Representation = { body: open.body, headers: { ...open.headers, 'Cache-Control': 'no-store' } };
  return (request) => (hasOwnName(request.headers.host, publicUrl) ? filled : bare);
}

/** A browser asks for HTML before JSON; programs that accept anything get JSON. */
const prefersHtml = (request: Request): boolean => request.accepts([json, 'text/html']) === 'text/html';

/** What JSON clients get at `/`. */
function toIndex({ title, version, summary, publicUrl }: ReturnType<typeof readReferenceText>, links: readonly Link[]) {
  const addresses = Object.fromEntries(links.map(({ key, path }) => [key, `${publicUrl}${path}`]));
  return JSON.stringify({ name: title, version, description: summary, links: addresses });
}

function listLinks({ explorer, metrics }: HttpDependencies): readonly Link[] {
  const link = (key: string, name: string, { path }: Route, meaning: string): Link => ({ key, name, path, meaning });
  return [
    link('reference', 'Reference', routes.reference, 'every operation with its GraphQL twin, guides, errors'),
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
    link('token', 'Token endpoint', routes.token, 'OAuth 2.0 client credentials'),
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
