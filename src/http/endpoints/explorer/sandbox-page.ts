import { pathPrefixOf } from '../../../common/public-url';
import { routes } from '../../routes';
import { closedByDefault, toContentSecurityPolicy, toInlineJson } from '../shell/html';
import { hasOwnName } from '../reference/public-pages';

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
export function renderSandboxPage(options: ExplorerOptions, hasExplorer: boolean, nonce: string): Page {
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
      ? 'It needs the internet; operations can be sent to this address without it.'
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
export interface Page {
  readonly html: string;
  readonly contentSecurityPolicy: string;
}

/** An explicit icon keeps the browser, and Apollo's script, from requesting one elsewhere. */
export const iconLink = '<link rel="icon" href="data:,">';

/** The contents of the pages for people. Anyone who opens a page can read all of them. */
export interface ExplorerOptions {
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
export function optionsFor(options: ExplorerOptions, host: string | undefined): ExplorerOptions {
  if (hasOwnName(host, options.publicUrl)) return options;
  return { ...options, authorization: undefined };
}

/** Headers that the editor starts with. */
export const initialHeaders = ({ authorization }: ExplorerOptions): Readonly<Record<string, string>> =>
  authorization === undefined ? {} : { Authorization: authorization };
