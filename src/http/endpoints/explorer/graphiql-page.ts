import { pathPrefixOf } from '../../../common/public-url';
import { routes } from '../../routes';
import type { ExplorerOptions } from './explorer-options';
import { initialHeaders } from './explorer-options';
import { toInlineJson } from './inline-json';
import type { Page } from './page';
import { closedByDefault, iconLink, toContentSecurityPolicy } from './page';

export const assetsPath = routes.explorerFiles.path.replace('{*file}', 'assets');

/** Editor and result need a wide window to fit side by side; in a narrow one they are stacked. */
const styleSheet = `
html, body, #explorer { height: 100%; margin: 0; }
#explorer .graphiql-footer { border: 0; color: hsla(var(--color-neutral), var(--alpha-secondary)); font-size: 0.875rem; padding: 8px; }
@media (max-width: 720px) {
  #explorer .graphiql-sidebar { padding: 8px 0; width: 40px; }
  #explorer .graphiql-sidebar button { height: 36px; padding: 8px; width: 40px; }
  #explorer .graphiql-main, #explorer .graphiql-session { flex-direction: column; }
  #explorer .graphiql-horizontal-drag-bar { display: none !important; }
  #explorer .graphiql-sessions { margin: 8px 8px 8px 0; min-height: 0; }
  #explorer .graphiql-session, #explorer .graphiql-session > div, #explorer .graphiql-editors { min-height: 0; }
  #explorer .graphiql-main > div:first-child { max-height: 50%; overflow: auto; }
  #explorer .graphiql-editors.full-height { margin-top: 0; }
  #explorer .graphiql-response { min-height: 0; }
}
`;

/**
 * The editors capture Tab, so a keyboard could not leave them. After Escape they do not receive it, and the browser
 * moves to the next control.
 */
const leaveEditorsByTab = `
let leaves = false;
document.addEventListener('keydown', (event) => {
  if (event.key === 'Tab' && leaves) event.stopImmediatePropagation();
  if (event.key !== 'Shift') leaves = event.key === 'Escape' && event.target.closest('.CodeMirror') !== null;
}, true);`;

/** GraphiQL from this server alone: the page loads nothing from other origins and sends nothing to them. */
export function renderGraphiqlPage(options: ExplorerOptions, nonce: string): Page {
  const prefix = pathPrefixOf(options.publicUrl);
  const files = `${prefix}${assetsPath}`;
  const headers = initialHeaders(options);
  const props = {
    defaultQuery: options.document,
    defaultHeaders: JSON.stringify(headers, null, 2),
    // The browser's storage need not keep the demo key after the page is closed.
    shouldPersistHeaders: false,
    defaultEditorToolsVisibility: 'headers',
  };
  const html = `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>Catalog API · GraphiQL</title>
${iconLink}
<link rel="stylesheet" href="${files}/graphiql.css">
<style nonce="${nonce}">${styleSheet}</style>
</head>
<body>
<div id="explorer"></div>
<noscript>GraphiQL needs JavaScript.</noscript>
<script nonce="${nonce}" src="${files}/react.js"></script>
<script nonce="${nonce}" src="${files}/react-dom.js"></script>
<script nonce="${nonce}" src="${files}/graphiql.js"></script>
<script nonce="${nonce}">
const root = document.getElementById('explorer');
if (window.GraphiQL && window.ReactDOM) {
  const fetcher = GraphiQL.createFetcher({ url: ${toInlineJson(`${prefix}${routes.graphql.path}`)} });
  ReactDOM.createRoot(root).render(
    React.createElement(
      GraphiQL,
      { fetcher, ...${toInlineJson(props)} },
      React.createElement(GraphiQL.Footer, null, 'In an editor Tab indents. Escape, then Tab, leaves it.'),
    ),
  );
} else {
  root.textContent = 'GraphiQL could not be loaded from this server. Reload the page.';
}
${leaveEditorsByTab}
</script>
</body>
</html>
`;
  return {
    html,
    contentSecurityPolicy: toContentSecurityPolicy({
      ...closedByDefault,
      'script-src': [`'nonce-${nonce}'`],
      // The editor and the menus create style elements and have no option for the nonce.
      'style-src': ["'self'", "'unsafe-inline'"],
      'font-src': ['data:'],
      'img-src': ['data:'],
      'connect-src': ["'self'"],
    }),
  };
}
