import type { RequestHandler, Router } from 'express';
import { join } from 'node:path';
import { pathPrefixOf } from '../../../common/public-url';
import { limitRate } from '../../access/access-steps';
import type { ExplorerOptions, HttpDependencies } from '../../http-dependencies';
import { createRepresentationHandler } from '../../response/representation';
import { routes } from '../../routes';
import { createPublicPages, pageHeaders } from '../reference/public-pages';
import { closedByDefault, toContentSecurityPolicy, toInlineJson } from '../shell/render-shell';
import { exampleDocument } from './examples';

/** Apollo's embed, and the origin of its frame. v2 is the major version that Apollo Server 5 embeds too. */
export const sandboxScript =
  'https://embeddable-sandbox.cdn.apollographql.com/v2/embeddable-sandbox.umd.production.min.js';
export const sandboxFrame = 'https://sandbox.embed.apollographql.com';

export const explorerFilesPath = routes.explorerFiles.path.replace('/{*file}', '');

/**
 * The frame sends operations to this page, which sends them to the server, so the page may connect to this origin only.
 */
const policy = toContentSecurityPolicy({
  ...closedByDefault,
  'script-src': ["'self'", sandboxScript],
  'style-src': ["'self'"],
  'img-src': ['data:'],
  'connect-src': ["'self'"],
  'frame-src': [sandboxFrame],
});

/**
 * Apollo Sandbox at the path of the endpoint, which passes on the visits of browsers (passOnVisits), and the icon that
 * Apollo's script requests.
 */
export function mountSandbox(options: ExplorerOptions, dependencies: HttpDependencies): Router {
  const { router, mountFiles, mountText, createPages } = createPublicPages(options, dependencies);
  const page = createPages((demoKey) => renderSandbox(dependencies, demoKey), {
    ...pageHeaders,
    'Content-Security-Policy': policy,
  });
  // Needs no credential and counts against the address (D19, D26).
  router.get(routes.graphql.path, takeVisit, limitRate(dependencies), createRepresentationHandler(page));
  mountFiles(
    routes.explorerFiles,
    ['sandbox.css', 'sandbox.js'].map((name) => ({ name, path: join(__dirname, 'assets', name) })),
  );
  mountText(routes.icon, () => '', 'image/svg+xml');
  return router;
}

const takeVisit: RequestHandler = (_request, response, next) => {
  response.locals.route = routes.explorer;
  next();
};

/** The example and the demo key are passed to Apollo's frame in its URL; the page contains no other secret. */
function renderSandbox({ publicUrl, reference }: HttpDependencies, demoKey: string | undefined): string {
  const prefix = pathPrefixOf(publicUrl);
  const assets = `${prefix}${explorerFilesPath}`;
  const data = {
    endpoint: `${prefix}${routes.graphql.path}`,
    // The page to go to without internet access, if it is served.
    explorer: reference && `${prefix}${routes.explorer.path}`,
    options: {
      target: '#sandbox',
      initialState: {
        document: exampleDocument,
        headers: demoKey === undefined ? {} : { Authorization: `Bearer ${demoKey}` },
        includeCookies: false,
        // It would request the schema every second, charged to the demo key (D18).
        pollForSchemaUpdates: false,
      },
      endpointIsEditable: false,
      hideCookieToggle: true,
      runTelemetry: false,
      // The policy forbids style attributes; the style sheet of this page sizes the frame.
      allowDynamicStyles: false,
    },
  };
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>Catalog API · Apollo Sandbox</title>
<link rel="icon" href="data:,">
<link rel="stylesheet" href="${assets}/sandbox.css">
</head>
<body>
<div id="sandbox"></div>
<div id="offline" hidden><h1>Apollo Sandbox could not be loaded</h1><p>It requires internet access. You can still send operations to this URL.</p></div>
<noscript>Apollo Sandbox needs JavaScript.</noscript>
<script type="application/json" id="sandbox-data">${toInlineJson(data)}</script>
<script src="${sandboxScript}"></script>
<script src="${assets}/sandbox.js"></script>
</body>
</html>
`;
}
