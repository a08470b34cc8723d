import { pathPrefixOf } from '../../../common/public-url';
import { routes } from '../../routes';
import { renderCode, renderPre } from '../reference/render-markdown';
import { icons, assetsPath, renderPage, type ShellFacts } from '../shell/render-shell';
import type { DashboardView } from './views';
import { readViewDocument, views } from './views';

const assets = routes.dashboardFiles.path.replace('/{*file}', '');

/** The periods of the page, with the name of the preceding period of the same length. */
const periods = [
  ['52-weeks', 'Last 52 weeks', '52 weeks'],
  ['90-days', 'Last 90 days', '90 days'],
  ['30-days', 'Last 30 days', '30 days'],
  ['all', 'All time', ''],
  ['dates', 'Custom range', 'period'],
] as const;

/** The end of the latest range, and the start of the range that precedes the longest one, have years of four digits. */
const dates = 'min="2000-01-01" max="2999-12-31" required class="period" autocomplete="off"';

/** The dashboard without data. */
export function renderDashboard(facts: ShellFacts, demoKey: string | undefined): string {
  const { hasExplorer } = facts;
  const explorer = hasExplorer ? `${pathPrefixOf(facts.publicUrl)}${routes.explorer.path}` : undefined;
  const at = (...areas: readonly DashboardView['area'][]): string =>
    views
      .filter(({ area }) => areas.includes(area))
      .map((view) => renderView(view, explorer))
      .join('\n');
  return renderPage(facts, {
    title: 'Dashboard · Catalog Read API',
    description: 'Totals and trends of one shop, each with its GraphQL query.',
    current: routes.dashboard.path,
    files: ['dashboard.css', 'dashboard.js'].map((name) => `${assets}/${name}`),
    modules: [
      ...['graphql', 'period', 'chart', 'elements', ...views.map(({ id }) => id)].map((name) => `${assets}/${name}.js`),
      ...['highlight', 'format'].map((name) => `${assetsPath}/${name}.js`),
    ],
    demoKey,
    isWhole: true,
    mainClass: 'dash',
    main: `<header class="head">
<div class="of-shop"><h1 data-shop-name dir="auto">Dashboard</h1>
${at('shop')}
<noscript><p>The dashboard needs JavaScript. Turn it on for this page, or read the same data with <a href="${pathPrefixOf(facts.publicUrl)}${routes.graphqlReference.path}">GraphQL</a>.</p></noscript></div>
<div class="ask">${at('search')}
<form data-period aria-label="Period">
<label><span class="sr">Period</span><select name="period" class="period" autocomplete="off">${periods.map(([value, words, length]) => `<option value="${value}" data-length="${length}">${words}</option>`).join('')}</select></label>
<span class="dates" data-dates hidden><input type="date" name="from" ${dates} aria-label="First day"><input type="date" name="to" ${dates} aria-label="Last day"></span>
<label><span class="sr">Currency</span><select name="currency" class="period" autocomplete="off"><option value="">Currency</option></select></label>
<label><span class="sr">Time zone</span><select name="zone" class="period" autocomplete="off"><option value="browser">Browser time zone</option><option value="UTC">UTC</option></select></label>
</form></div>
</header>
${renderWelcome(demoKey)}
<p class="wait" role="status" data-wait></p>
<p class="wait" role="status" data-refused-date></p>
${at('figures')}
${at('main')}
<div class="grid3">${at('row')}</div>
<div class="grid2">${at('wide', 'narrow')}</div>
<dialog class="drawer" id="drawer" aria-labelledby="detail-title">
<div class="drawer-bar"><span id="drawer-name">Details</span><button type="button" class="icon" data-close aria-label="Close" title="Close">${icons.close}</button></div>
<div class="drawer-in">${at('drawer')}</div></dialog>`,
  });
}

/** The page before there is a key: what it shows, and one step. */
const renderWelcome = (demoKey: string | undefined): string => `<section class="welcome">
<p class="lead">Orders, revenue, products and stock of one shop. Every number comes with its GraphQL query. What you see depends on the scopes of the API key:</p>
<dl>
<div><dt><code>orders:read</code></dt><dd>Orders, revenue by payment status, best sellers</dd></div>
<div><dt><code>catalog:read</code></dt><dd>Products, stock, prices, vendors, tags, collections</dd></div>
<div><dt><code>account:read</code></dt><dd>Plan, last synchronization, API key usage</dd></div>
</dl>
${
  demoKey === undefined
    ? `<button type="button" class="btn primary" popovertarget="key">Add a key</button>
<p class="small muted">The operator of this server creates keys:</p>
${renderCode('catalog key create --shop DOMAIN \\\n  --scope orders:read \\\n  --scope catalog:read \\\n  --scope account:read', 'sh')}`
    : '<div class="turns"><button type="button" class="btn primary" data-forget>Use the demo key</button><button type="button" class="btn" popovertarget="key">Add a key</button></div>'
}
</section>`;

const bare: ReadonlySet<DashboardView['area']> = new Set(['shop', 'search', 'figures', 'drawer']);

function renderView(view: DashboardView, explorer: string | undefined): string {
  const { id, title, area, choice, saves = [] } = view;
  const isBare = bare.has(area);
  const form =
    area === 'search'
      ? `<form role="search" aria-label="${title}"><div class="lookup">${icons.search}<input type="search" name="text" placeholder="Title, SKU or order number" aria-label="Title, SKU or order number" autocomplete="off" spellcheck="false"></div></form>`
      : choice
        ? `<form class="switches" aria-label="${title}"><fieldset class="seg"><legend class="sr">${choice.label}</legend>${choice.options.map(([value, words], at) => `<label><input type="radio" name="${choice.name}" value="${value}" autocomplete="off"${at === 0 ? ' checked' : ''}><span>${words}</span></label>`).join('')}</fieldset></form>`
        : '';
  const tools = [
    ...(explorer === undefined ? [] : [`<a class="icon" data-explore href="${explorer}" title="Open in the explorer" aria-label="Open the query of ${title} in the explorer">${icons.query}</a>`]),
    ...saves.map((kind) => `<button type="button" class="icon" data-save="${kind}" title="Save as ${kind}" aria-label="Save ${title} as ${kind}">${icons.save}${kind}</button>`),
  ]; // prettier-ignore
  const head = isBare
    ? `<h2 class="sr" id="${id}-title">${title}</h2>${form}`
    : `<div class="card-head"><h2 id="${id}-title">${title}</h2>${form}<span class="tools">${tools.join('')}</span></div>`;
  const listed = area === 'row' || id === 'collections' ? ' list' : '';
  const waits = area === 'search' || area === 'drawer';
  return `<section class="${isBare ? `bare at-${area}` : `card at-${area}${listed}`}" id="${id}" data-view="${id}"${waits ? '' : ' aria-busy="true"'} aria-labelledby="${id}-title" tabindex="-1">
${head}
<p role="status" class="state" data-state></p>
<div data-output${area === 'figures' ? ' class="kpis"' : ''}></div>
<details class="fold behind">${area === 'figures' || area === 'shop' ? `<summary class="icon" title="View query">${icons.query}<span class="sr">View query: ${title}</span></summary>` : `<summary>${icons.right}View query<span class="sr">: ${title}</span></summary>`}
<div class="code">${renderPre(readViewDocument(id), 'graphql', ' data-document')}${renderPre('{}', 'json', ' class="variables" data-variables')}</div>
<p class="small muted" data-cost></p>
</details>
</section>`;
}
