import type { ExplorerOptions } from './explorer-options';
import { initialHeaders } from './explorer-options';
import { toInlineJson } from './inline-json';
import type { Page } from './page';
import { closedByDefault, iconLink, toContentSecurityPolicy } from './page';

/** GraphiQL from this server alone: nothing on the page comes from, or goes to, anywhere else. */
export function renderGraphiqlPage(options: ExplorerOptions, assetsPath: string, nonce: string): Page {
  const headers = initialHeaders(options);
  const props = {
    defaultQuery: options.document,
    defaultHeaders: JSON.stringify(headers, null, 2),
    // The demo key need not outlive the page in the browser's storage.
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
<link rel="stylesheet" href="${assetsPath}/graphiql.css">
<style nonce="${nonce}">html, body, #explorer { height: 100%; margin: 0; }</style>
</head>
<body>
<div id="explorer"></div>
<noscript>GraphiQL needs JavaScript.</noscript>
<script nonce="${nonce}" src="${assetsPath}/react.js"></script>
<script nonce="${nonce}" src="${assetsPath}/react-dom.js"></script>
<script nonce="${nonce}" src="${assetsPath}/graphiql.js"></script>
<script nonce="${nonce}">
const fetcher = GraphiQL.createFetcher({ url: ${toInlineJson(options.graphqlPath)} });
ReactDOM.createRoot(document.getElementById('explorer')).render(
  React.createElement(GraphiQL, { fetcher, ...${toInlineJson(props)} }),
);
</script>
</body>
</html>
`;
  return {
    html,
    contentSecurityPolicy: toContentSecurityPolicy({
      ...closedByDefault,
      'script-src': [`'nonce-${nonce}'`],
      // The editor and the menus write style elements of their own and offer no way to give them the nonce.
      'style-src': ["'self'", "'unsafe-inline'"],
      'font-src': ['data:'],
      'img-src': ['data:'],
      'connect-src': ["'self'"],
    }),
  };
}
