import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { pathPrefixOf } from '../../../common/public-url';
import { routes } from '../../routes';
import { readOperationDocument } from '../../../../rest/operations';
import type { ReferenceText } from '../reference/reference-text';
import { renderPre } from '../reference/render-markdown';
import {
  escapeHtml,
  renderTab,
  printJson,
  icons,
  assetsPath,
  renderPage,
  type ShellFacts,
} from '../shell/render-shell';

/** The operation for the figures and products of the page. */
const readHomeDocument = (): string => readFileSync(join(__dirname, 'home.graphql'), 'utf8').trimEnd();

const graphqlExample = `{
  products(
    first: 3, sortKey: PRICE
    filter: { totalStock: { min: 1 } }
  ) {
    totalCount
    nodes { title minPrice totalStock }
  }
}`;

const readOn = [
  ['first-call', 'First call', 'Your first request in a minute.'],
  ['credentials', 'Credentials', 'API keys and OAuth client credentials.'],
  ['pagination', 'Pagination', 'Cursors that never repeat or miss an object.'],
  ['rate-limit', 'Rate limit', 'Requests per minute and how to handle 429.'],
  ['errors', 'Errors', 'Every error code with its cause and fix.'],
  ['mirroring-a-shop', 'Mirroring a shop', 'Export a shop, then follow its changes.'],
] as const;

/** The front page. */
export function renderHomePage(text: ReferenceText, facts: ShellFacts, demoKey: string | undefined): string {
  const { publicUrl, sections } = text;
  const prefix = pathPrefixOf(publicUrl);
  const reference = `${prefix}${routes.reference.path}`;
  const graphql = `${prefix}${routes.graphqlReference.path}`;
  const list = sections.find(({ id }) => id === 'listProducts')?.operation;
  const operations = sections.flatMap(({ operation }) => operation ?? []);
  const known = new Set(sections.map(({ id }) => id));
  // Without `http://`, curl's default, the command fits on its line.
  const curl = `curl -H "Authorization: Bearer $KEY" ${publicUrl.replace(/^http:\/\//, '')}/v1/shop`;
  const mirror = `# everything, from one snapshot
curl -H "Authorization: Bearer $KEY" \\
  ${publicUrl}${routes.export.path} \\
  > shop.ndjson

# then follow its changes
curl -H "Authorization: Bearer $KEY" \\
  "${publicUrl}${routes.changes.path}?after=$CURSOR"`;
  const door = (name: string, about: string, content: string, to: string, words: string): string =>
    `<article class="door" aria-labelledby="door-${name}"><h3 id="door-${name}">${name}</h3><p>${about}</p>${content}<a class="more" href="${to}">${words} ${icons.arrow}</a></article>`;
  return renderPage(facts, {
    title: text.title,
    description: text.summary,
    files: ['home.css', 'console.js', 'home.js'].map((name) => `${assetsPath}/${name}`),
    mainClass: 'home',
    demoKey,
    main: `<section class="hero">
<div class="pitch">
<h1>One API for every&nbsp;shop’s&nbsp;catalog.</h1>
<p class="lead">Read the products, collections and orders of any shop, on any platform. Use REST or GraphQL. Both return the same data.</p>
<div class="go"><a class="btn primary" href="${reference}">Read the reference ${icons.arrow}</a>${facts.hasExplorer ? `<a class="btn" href="${prefix}${routes.explorer.path}">Open the explorer</a>` : `<a class="btn" href="${graphql}">Read the GraphQL schema</a>`}</div>
<p class="paste"><span class="muted">${demoKey === undefined ? 'In a terminal, with your API key' : "In a terminal, with the demo shop's key"}</span>
<span class="line"><code>${escapeHtml(curl)}</code><button type="button" class="icon" data-copy="${escapeHtml(curl)}" aria-label="Copy the command" title="Copy">${icons.copy}</button></span></p>
</div>
<div class="live">
<form class="code answer" aria-label="Live request" data-path="${prefix}/v1/products?q=mug&amp;limit=1" data-variables="${escapeHtml('{"first":1,"filter":{"query":"mug"}}')}">
<div class="code-head"><div class="tabs" role="tablist" aria-label="APIs">${renderTab('live-rest', 'REST', 0, ' id="live-rest-tab"')}${renderTab('live-graphql', 'GraphQL', 1, ' id="live-graphql-tab"')}</div><button type="button" class="icon" data-copy aria-label="Copy the response" title="Copy">${icons.copy}</button><button type="submit" class="send">${icons.play}Send</button></div>
<div role="tabpanel" id="live-rest" aria-labelledby="live-rest-tab"><p class="req"><span class="get">GET</span><code>${prefix}/v1/products?q=mug&amp;limit=1</code></p>
${renderPre(printJson(list?.exampleResponse), 'json', ' data-rest-response')}</div>
<div role="tabpanel" id="live-graphql" aria-labelledby="live-graphql-tab" hidden><p class="req"><span class="get">POST</span><code>${prefix}${routes.graphql.path}</code></p>
${renderPre('The same objects from the equivalent GraphQL operation.', '', ' data-graphql-response')}</div>
<div hidden data-document><code>${escapeHtml(readOperationDocument('listProducts'))}</code></div>
<div class="code-foot" role="status"><span class="ok" data-state>sample</span><span class="eq" data-comparison></span></div>
</form>
<figure class="found" data-found hidden></figure>
</div>
</section>
<section class="shop" aria-labelledby="shop-title" data-shop data-document="${escapeHtml(readHomeDocument())}" hidden>
<div class="shop-head"><h2 id="shop-title" dir="auto"></h2><a href="${prefix}${routes.dashboard.path}">Open the dashboard ${icons.arrow}</a></div>
<dl class="facts"></dl>
<ul class="shelf" tabindex="0" aria-label="Some of the products"></ul>
</section>
<section class="doors" aria-labelledby="doors-title"><h2 class="sr" id="doors-title">APIs</h2>
${door('REST', 'Five GET operations with strict parameters, strong ETags and one error format.', `<ul class="ops">${operations.map(({ operationId, path, summary }) => `<li><a href="${reference}#${operationId}"><span class="get">GET</span><code>${path}</code><span>${escapeHtml(summary.toLowerCase())}</span></a></li>`).join('')}</ul>`, reference, 'Reference')}
${door('GraphQL', 'The same objects with the fields you select, more filters and sort orders, aggregates and lookup by SKU.', `<div class="code">${renderPre(graphqlExample, 'graphql')}</div>`, graphql, 'GraphQL reference')}
${door('Mirror', 'Export a whole shop in one request, then follow only its changes.', `<div class="code">${renderPre(mirror, 'sh')}</div>`, `${reference}#mirroring-a-shop`, 'Mirroring a shop')}
</section>
<section class="on" aria-labelledby="on-title"><h2 id="on-title">Next steps</h2>
<ul>${readOn
      .filter(([id]) => known.has(id))
      .map(([id, name, about]) => `<li><a href="${reference}#${id}"><b>${name}</b><span>${about}</span></a></li>`)
      .join('')}</ul>
</section>`,
  });
}
