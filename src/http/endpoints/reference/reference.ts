import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Request, RequestHandler, Router } from 'express';
import type { HttpDependencies, ExplorerOptions } from '../../http-dependencies';
import type { Route } from '../../routes';
import { readTypeDefinitions } from '../../../graph/schema';
import { once } from '../../../common/once';
import { pathPrefixOf } from '../../../common/public-url';
import { projectRoot } from '../../../common/project-root';
import { prepareHeaders } from '../../response/send';
import { pathOf, routes, surfaceOf } from '../../routes';
import { renderGraphqlReference } from '../graphql-reference/render-graphql-reference';
import { renderHomePage } from '../home/render-home';
import type { ShellFacts } from '../shell/render-shell';
import { renderNotFoundPage, vendorFile } from '../shell/render-shell';
import type { OpenApiDocument } from './openapi';
import { withoutReferences } from './openapi';
import { createPublicPages, pageHeaders, type AssetFile } from './public-pages';
import type { Link } from './reference-text';
import { directive, readReferenceText, toLlmsText, toReferenceMarkdown } from './reference-text';
import { fileLink, renderChangelogPage } from './render-changelog';
import { renderReferencePage } from './render-reference';
import { createPublicRepresentation } from '../../response/representation';

/** RFC 9727. */
const apiCatalogPath = '/.well-known/api-catalog';

const json = 'application/json';
const markdown = 'text/markdown; charset=utf-8';
const text = 'text/plain; charset=utf-8';

/** The front page, the references, the changelog, and each as Markdown. */
export function mountReference(options: ExplorerOptions, dependencies: HttpDependencies): Router {
  const { publicUrl, openApiDocument } = dependencies;
  const prefix = pathPrefixOf(publicUrl);
  const reference = readReferenceText(publicUrl, withoutReferences(openApiDocument));
  const links = listLinks(dependencies);
  const facts = toShellFacts(dependencies);
  const schema = readTypeDefinitions();
  const changelog = readChangelog();
  const { router, mount, mountText, mountFiles, createPages } = createPublicPages(options, dependencies);

  /** A page for browsers, its Markdown for programs that ask for it, and the same below its path with `.md`. */
  const mountPage = (route: Route, render: (demoKey: string | undefined) => string, write: () => string, markdownRoute: Route): void => {
    const Link = toLinks(prefix, markdownRoute.path);
    const page = createPages(render, { ...pageHeaders, Link });
    const plain = once(() => createPublicRepresentation(write(), markdown, { ...varied, Link }));
    mount(route, (request) => (prefersMarkdown(request) ? plain() : page(request)));
    mountText(markdownRoute, write, markdown);
  }; // prettier-ignore

  const Link = toLinks(prefix, routes.llms.path);
  const front = createPages((demoKey) => renderHomePage(reference, facts, demoKey), { ...pageHeaders, Link });
  const index = once(() => createPublicRepresentation(toIndex(reference, links), json, { ...varied, Link }));
  const writeLlms = () => toLlmsText(reference, links);
  const plainFront = once(() => createPublicRepresentation(writeLlms(), markdown, { ...varied, Link }));
  mount(routes.index, (request) => {
    if (prefersMarkdown(request)) return plainFront();
    return prefersHtml(request) ? front(request) : index();
  });
  mountPage(
    routes.reference,
    (demoKey) => renderReferencePage(reference, facts, demoKey),
    () => toReferenceMarkdown(reference),
    routes.referenceMarkdown,
  );
  mountPage(
    routes.graphqlReference,
    (demoKey) => renderGraphqlReference(schema, facts, demoKey),
    () => `${directive(publicUrl)}# The GraphQL schema\n\n\`\`\`graphql\n${schema.trimEnd()}\n\`\`\`\n`,
    routes.graphqlReferenceMarkdown,
  );
  mountPage(
    routes.changelog,
    (demoKey) => renderChangelogPage(changelog, facts, demoKey),
    () => `${directive(publicUrl)}${changelog.replaceAll(fileLink, '$1')}`,
    routes.changelogMarkdown,
  );
  mountText(routes.schema, () => schema, text);
  mountText(routes.llms, writeLlms, text);
  // RFC 9727 2: with a Link to itself.
  mount(
    { ...routes.wellKnown, path: apiCatalogPath },
    once(() =>
      createPublicRepresentation(
        JSON.stringify(toApiCatalog(publicUrl)),
        'application/linkset+json; profile="https://www.rfc-editor.org/info/rfc9727"',
        { Link },
      ),
    ),
  );
  mountFiles(routes.referenceFiles, sharedFiles());
  // Pages of other sites may embed the pictures of `image_url`.
  const embeddable = { 'Cross-Origin-Resource-Policy': 'cross-origin' };
  if (options.demoApiKey !== undefined) mountFiles(routes.demoPictures, demoPictures(), embeddable);
  return router;
}

/** Optional: the program starts without it. */
function readChangelog(): string {
  const file = join(projectRoot, 'CHANGELOG.md');
  return existsSync(file) ? readFileSync(file, 'utf8') : '# Changelog\n';
}

/** The pictures of the demo shop's products. */
const picturesFile = join(projectRoot, 'prisma/demo/pictures.json');
const demoPictures = (): readonly AssetFile[] =>
  Object.entries(JSON.parse(readFileSync(picturesFile, 'utf8')) as Readonly<Record<string, string>>).map(
    ([name, content]) => ({ name, content }),
  );

const varied = { Vary: 'Accept, Accept-Encoding' };

/** The APIs with their descriptions and health checks (RFC 9727, RFC 9264). */
const toApiCatalog = (publicUrl: string) => {
  const at = (path: string, type: string) => ({ href: `${publicUrl}${path}`, type });
  const shared = {
    'service-doc': [at(routes.reference.path, 'text/html'), at(routes.referenceMarkdown.path, 'text/markdown')],
    'service-meta': [at('/.well-known/oauth-authorization-server', json)],
    status: [at(routes.ready.path, json)],
  };
  return {
    linkset: [
      { anchor: `${publicUrl}/v1`, 'service-desc': [at(routes.openApi.path, json)], ...shared },
      {
        anchor: `${publicUrl}${routes.graphql.path}`,
        'service-desc': [at(routes.schema.path, 'text/plain')],
        ...shared,
      },
    ],
  };
};

/** Link headers of every page (RFC 8288): its Markdown, the API catalog and the descriptions. */
const toLinks = (prefix: string, markdownPath: string) =>
  [
    [markdownPath, 'rel="alternate"; type="text/markdown"'],
    [apiCatalogPath, 'rel="api-catalog"'],
    [routes.openApi.path, 'rel="service-desc"; type="application/json"'],
    [routes.llms.path, 'rel="describedby"; type="text/plain"'],
  ].map(([path, relation]) => `<${prefix}${path}>; ${relation}`).join(', '); // prettier-ignore

/** Files shared by all pages, and those of `/` and the references. */
function sharedFiles(): readonly AssetFile[] {
  const own = (folder: string, names: readonly string[]) =>
    names.map((name) => ({ name, path: join(__dirname, '..', folder, 'assets', name) }));
  return [
    ...own('shell', ['tokens.css', 'shell.css', 'not-found.css', 'theme.js', 'shell.js', 'format.js', 'highlight.js', 'snippets.js', 'icon.svg', 'link.png']),
    ...own('home', ['home.css', 'home.js']),
    ...own('reference', ['reference.css', 'console.js']),
    ...['inter-latin.woff2', 'inter-latin-ext.woff2', 'jetbrains-mono-latin.woff2'].map(vendorFile),
  ]; // prettier-ignore
}

/** Facts about this installation for the shell of all pages. */
export function toShellFacts(dependencies: HttpDependencies): ShellFacts {
  const { publicUrl, explorer, openApiDocument } = dependencies;
  const { info, components } = openApiDocument as OpenApiDocument;
  return {
    publicUrl,
    version: info.version,
    scopes: Object.keys(components.securitySchemes.oauth2.flows.clientCredentials.scopes),
    hasExplorer: explorer !== undefined,
    forPrograms: linksForPrograms(dependencies),
  };
}

/** Responds to a browser that visits a nonexistent path; other requests get the JSON of their surface. */
export function answerUnknownVisit(dependencies: HttpDependencies): RequestHandler {
  const facts = toShellFacts(dependencies);
  return (request, response, next) => {
    const isVisit = request.method === 'GET' || request.method === 'HEAD';
    if (!isVisit || surfaceOf(request.originalUrl) !== 'other' || !prefersHtml(request)) return next();
    prepareHeaders(response);
    response
      .status(404)
      .set({ ...pageHeaders, 'Cache-Control': 'no-store', 'Content-Type': 'text/html; charset=utf-8' })
      .end(renderNotFoundPage(facts, pathOf(request.originalUrl)));
  };
}

/** A program that asks for Markdown by name. */
const prefersMarkdown = (request: Request): boolean =>
  request.accepts([json, 'text/html', 'text/markdown']) === 'text/markdown';

/** A browser asks for HTML before JSON; programs that accept anything get JSON. */
const prefersHtml = (request: Request): boolean => request.accepts([json, 'text/html']) === 'text/html';

/** The response at `/` for JSON clients. */
function toIndex({ title, version, summary, publicUrl }: ReturnType<typeof readReferenceText>, links: readonly Link[]) {
  const addresses = Object.fromEntries(links.map(({ key, path }) => [key, `${publicUrl}${path}`]));
  return JSON.stringify({ name: title, version, description: summary, links: addresses });
}

const link = (key: string, name: string, path: string, meaning: string): Link => ({ key, name, path, meaning });

/** What programs read, listed at the foot of the pages. */
const linksForPrograms = ({ metrics }: HttpDependencies): readonly Link[] => [
  link('openapi', 'OpenAPI document', routes.openApi.path, 'the REST operations, for code generators'),
  link('schema', 'GraphQL schema', routes.schema.path, 'every type with its description, as SDL'),
  link('llms', 'Index for language models', routes.llms.path, 'what to read, and instructions'),
  link('reference_markdown', 'Reference as Markdown', routes.referenceMarkdown.path, 'the reference as one Markdown file'),
  link('api_catalog', 'API catalog', apiCatalogPath, 'the APIs with their descriptions (RFC 9727)'),
  link('authorization_server', 'Authorization server metadata', '/.well-known/oauth-authorization-server', 'for standard OAuth clients'),
  link('jwks', 'Public keys', '/.well-known/jwks.json', 'the keys that sign access tokens (JWKS)'),
  link('alive', 'Liveness', routes.live.path, 'whether the process is running'),
  link('ready', 'Readiness', routes.ready.path, 'whether it is ready to serve requests, and if not, why'),
  ...(metrics === undefined ? [] : [link('metrics', 'Metrics', routes.metrics.path, 'for Prometheus')]),
]; // prettier-ignore

function listLinks(dependencies: HttpDependencies): readonly Link[] {
  const { explorer, exports, changes, mcp } = dependencies;
  const hasSandbox = explorer !== undefined;
  return [
    link('reference', 'Reference', routes.reference.path, 'every operation with its GraphQL equivalent, guides, errors'),
    link('graphql_reference', 'GraphQL reference', routes.graphqlReference.path, 'every query with an example, every type'),
    link('dashboard', 'Dashboard', routes.dashboard.path, 'charts and totals of a shop, each with its GraphQL query'),
    link('changelog', 'Changelog', routes.changelog.path, 'what changed, by version'),
    ...(hasSandbox ? [link('explorer', 'GraphQL explorer', routes.explorer.path, 'GraphiQL with examples; works offline')] : []),
    link('graphql', hasSandbox ? 'GraphQL, and Apollo Sandbox' : 'GraphQL', routes.graphql.path, hasSandbox ? 'the endpoint; browsers get Apollo Sandbox, which needs internet access' : 'the endpoint'),
    ...(exports === undefined ? [] : [link('export', 'Export', routes.export.path, 'a whole shop as NDJSON from one snapshot, or one type as CSV')]),
    ...(changes === undefined ? [] : [link('changes', 'Change feed', routes.changes.path, 'what changed after a cursor, by long polling or server-sent events')]),
    ...(mcp === undefined ? [] : [link('mcp', 'Tools for language models', routes.mcp.path, 'the operations as tools of the Model Context Protocol')]),
    link('token', 'Token endpoint', routes.token.path, 'OAuth 2.0 client credentials'),
    ...linksForPrograms(dependencies),
  ];
} // prettier-ignore
