import { routes } from '../../routes';
import { escapeHtml, renderCode } from '../reference/render-markdown';
import { renderPage } from '../reference/render-pages';
import type { DashboardView, ViewField, ViewForm } from './views';
import { readViewDocument, views } from './views';

const assets = routes.dashboardFiles.path.replace('/{*file}', '');

const renderHead = (files: string): string => `<link rel="stylesheet" href="${files}/uplot.css">
<link rel="stylesheet" href="${files}/dashboard.css">
<script src="${files}/uplot.js" defer></script>
<script type="module" src="${files}/dashboard.js"></script>`;

/** The frame of the dashboard: without a key it shows what would run. */
export function renderDashboard(demoKey: string | undefined, prefix: string): string {
  const head = renderHead(`${prefix}${assets}`);
  const main = `<h1>Dashboard</h1>
<p class="summary">Figures of one shop. Each tile is one operation of <code>${prefix}${routes.graphql.path}</code>, shown below it.</p>
<form data-credential aria-labelledby="credential-title">
<h2 id="credential-title">API key</h2>
<p>Kept in the memory of this page, and sent to this server alone.</p>
<label>API key or access token <input name="key" type="password" autocomplete="off" spellcheck="false"></label>
<button type="submit">Show this shop</button>
<p role="status" data-credential-state>No key yet.</p>
<noscript><p>The dashboard needs JavaScript.</p></noscript>
</form>
<div class="tiles">
${views.map(renderView).join('\n')}
</div>`;
  return renderPage({ title: 'Dashboard', main, head, navigation: '', demoKey, prefix, isWide: true });
}

const renderView = ({ id, title, about, form, isWide }: DashboardView): string =>
  `<section class="tile${isWide === true ? ' broad' : ''}" id="${id}" data-view="${id}" aria-labelledby="${id}-title">
<h2 id="${id}-title" tabindex="-1">${escapeHtml(title)}</h2>
<p class="about">${escapeHtml(about)}</p>
${form === undefined ? '' : renderForm(title, form)}
<p role="status" data-state></p>
<div data-output></div>
<details><summary>The query behind this<span class="aside">: ${escapeHtml(title)}</span></summary>
${renderCode(readViewDocument(id), 'graphql', ' data-document')}
<p>Variables:</p>
${renderCode('{}', 'json', ' data-variables')}
<p data-cost></p>
</details>
</section>`;

const renderForm = (title: string, { fields, button }: ViewForm): string =>
  `<form aria-label="${escapeHtml(title)}"${button === undefined ? '' : ' data-waits'}>
<div class="fields">${fields.map(renderField).join('')}</div>
${button === undefined ? '' : `<button type="submit">${escapeHtml(button)}</button>`}
</form>`;

const renderField = ({ name, label, options }: ViewField): string =>
  `<label>${escapeHtml(label)} ${
    options === undefined
      ? `<input name="${name}" autocomplete="off" spellcheck="false">`
      : `<select name="${name}" autocomplete="off">${options.map(([value, words]) => `<option value="${value}">${escapeHtml(words)}</option>`).join('')}</select>`
  }</label>`;
