import type { RequestHandler, Response } from 'express';
import { Router } from 'express';
import { chargeCall } from '../../access/access-steps';
import { denyOtherOrigins, keepFromOtherOrigins, renameOperation } from '../../request/request';
import type { HttpDependencies } from '../../http-dependencies';
import { prepareHeaders } from '../../response/send';
import { routes } from '../../routes';
import { isBrowserVisit } from '../graphql/graphql-handler';
import { createStrictRouter } from '../mount-route';
import { randomBytes } from 'node:crypto';
import { answerPlainOptions, refuseMethod } from '../../response/handle-errors';
import { pathPrefixOf } from '../../../common/public-url';
import { closedByDefault, toContentSecurityPolicy, toInlineJson } from '../shell/render-shell';
import { hasOwnName } from '../reference/public-pages';

/**
 * The pages for people. They contain the demo key, so no other site may read them. The one at /graphql gets what
 * the endpoint passes on (passOnVisits).
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
 * Apollo Sandbox at the path of the endpoint, for browsers only, in every environment but production. It
 * passes on every GraphQL request. And the icon that Apollo's script requests.
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

/** Apollo's embed, and the origin of its frame. v2 is the major version that Apollo Server 5 embeds too. */
export const sandboxScript =
  'https://embeddable-sandbox.cdn.apollographql.com/v2/embeddable-sandbox.umd.production.min.js';
export const sandboxFrame = 'https://sandbox.embed.apollographql.com';

/**
 * Apollo Sandbox on our own endpoint. The frame sends operations to this page, which sends them to the server, so the
 * page may connect to this origin only. The example and the demo key are passed to Apollo's frame in its URL; the page
 * contains no other secret.
 * @param hasExplorer Whether the explorer is served: users without internet access are sent there.
 */
function renderSandboxPage(options: ExplorerOptions, hasExplorer: boolean, nonce: string): Page {
  const prefix = pathPrefixOf(options.publicUrl);
  const explorerPath = hasExplorer ? `${prefix}${routes.explorer.path}` : undefined;
  const embedOptions = {
    target: '#sandbox',
    initialState: {
      document: options.document,
      headers: initialHeaders(options),
      includeCookies: false,
      // It would request the schema every second, charged to the demo key (D18).
      pollForSchemaUpdates: false,
    },
    endpointIsEditable: false,
    hideCookieToggle: true,
    runTelemetry: false,
    // The policy below forbids style attributes; the style sheet of this page sizes the frame.
    allowDynamicStyles: false,
  };
  const elsewhere =
    explorerPath === undefined
      ? 'It requires internet access. You can still send operations to this URL.'
      : `<a href="${explorerPath}">The explorer at ${explorerPath}</a> needs no internet.`;
  const offline = `<div id="offline"><h1>Apollo Sandbox could not be loaded</h1><p>${elsewhere}</p></div>`;
  const html = `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>Catalog API · Apollo Sandbox</title>
${iconLink}
<style nonce="${nonce}">
html, body, #sandbox { height: 100%; margin: 0; }
#sandbox iframe { display: block; width: 100%; height: 100%; border: 0; }
#offline { font-family: system-ui, sans-serif; padding: 2rem; }
</style>
</head>
<body>
<div id="sandbox"></div>
<noscript>Apollo Sandbox needs JavaScript.</noscript>
<script nonce="${nonce}" src="${sandboxScript}"></script>
<script nonce="${nonce}">
if (window.EmbeddedSandbox) {
  const options = ${toInlineJson(embedOptions)};
  new window.EmbeddedSandbox({ ...options, initialEndpoint: new URL(${toInlineJson(`${prefix}${routes.graphql.path}`)}, location.origin).href });
} else {
  document.body.innerHTML = ${toInlineJson(offline)};
${
  explorerPath === undefined
    ? ''
    : `  location.replace(${toInlineJson(explorerPath)});
`
}}
</script>
</body>
</html>
`;
  return {
    html,
    contentSecurityPolicy: toContentSecurityPolicy({
      ...closedByDefault,
      'script-src': [`'nonce-${nonce}'`],
      'style-src': [`'nonce-${nonce}'`],
      'img-src': ['data:'],
      'connect-src': ["'self'"],
      'frame-src': [sandboxFrame],
    }),
  };
}

/** A page with its content security policy. Both contain the same nonce, so neither is usable without the other. */
interface Page {
  readonly html: string;
  readonly contentSecurityPolicy: string;
}

/** An explicit icon keeps the browser, and Apollo's script, from requesting one elsewhere. */
export const iconLink = '<link rel="icon" href="data:,">';

/** The contents of the pages for people. Anyone who opens a page can read all of them. */
interface ExplorerOptions {
  /** The example in the editor. */
  readonly document: string;
  /** The Authorization header of the demo key, such as `Bearer ck_….…`; undefined without a demo shop. */
  readonly authorization?: string | undefined;
  /** The address that people use, besides this machine's own names; links begin with its path. */
  readonly publicUrl?: string | undefined;
}

/**
 * The contents of a page opened under this Host: without the key, unless the name belongs to this machine or to
 * PUBLIC_URL. Any other name may belong to a site that points it at this server (DNS rebinding), whose scripts could
 * read the page as same-origin.
 */
function optionsFor(options: ExplorerOptions, host: string | undefined): ExplorerOptions {
  if (hasOwnName(host, options.publicUrl)) return options;
  return { ...options, authorization: undefined };
}

/** Headers that the editor starts with. */
export const initialHeaders = ({ authorization }: ExplorerOptions): Readonly<Record<string, string>> =>
  authorization === undefined ? {} : { Authorization: authorization };
