import { pathPrefixOf } from '../../../common/public-url';
import { routes } from '../../routes';
import { closedByDefault, iconLink, toContentSecurityPolicy } from '../explorer/page';
import type { OperationReference, ParameterReference } from './operation-reference';
import type { Link, ReferenceText, Section } from './reference-text';
import { exampleTarget, introduction, toList } from './reference-text';
import { escapeHtml, renderCode, renderMarkdown } from './render-markdown';

const assets = routes.referenceFiles.path.replace('/{*file}', '');

/** Everything comes from this server and goes to it; nothing is inline. */
export const contentSecurityPolicy = toContentSecurityPolicy({
  ...closedByDefault,
  'script-src': ["'self'"],
  'style-src': ["'self'"],
  'img-src': ['data:'],
  'connect-src': ["'self'"],
});

/** What a visitor of `/` sees. */
export function renderFrontPage(text: ReferenceText, links: readonly Link[], demoKey: string | undefined): string {
  const firstCall = text.sections.find(({ id }) => id === 'first-call');
  const demo =
    demoKey === undefined
      ? ''
      : `<p>This installation has a demo shop. Its key, for the examples below:</p>\n${renderCode(`KEY=${demoKey}`, 'sh')}`;
  const prefix = pathPrefixOf(text.publicUrl);
  const main = `<h1>${escapeHtml(text.title)}</h1>
<p class="summary">${escapeHtml(text.summary)}</p>
${renderMarkdown(introduction)}
<h2>A first answer</h2>
${demo}${renderMarkdown(firstCall?.markdown ?? '')}
<p><a class="button" href="${prefix}${routes.reference.path}">Read the reference and try every operation</a></p>
<h2>Where things are</h2>
${renderMarkdown(
  toList(
    links.map((link) => toPageLink(link, prefix)),
    prefix,
  ),
)}`;
  return renderPage({ title: text.title, main, head: '', demoKey: undefined, navigation: '', prefix });
}

/** A link of the front page leads to something that a browser shows. */
const toPageLink = (link: Link, prefix: string): Link =>
  link.explainedAt === undefined
    ? link
    : { ...link, path: link.explainedAt, meaning: `\`${prefix}${link.path}\`, ${link.meaning}` };

/** What a browser gets for a path that does not exist. */
export const renderUnknownPage = (prefix: string): string =>
  renderPage({
    title: 'Not found',
    main: `<h1>There is nothing at this address</h1>
<p>Paths are exact: case counts, and so does a slash at the end.</p>
<p><a class="button" href="${prefix}${routes.index.path}">See where everything is</a></p>`,
    head: '',
    navigation: '',
    demoKey: undefined,
    prefix,
  });

/** The reference, with a console for each operation. */
export function renderReferencePage(text: ReferenceText, demoKey: string | undefined): string {
  const prefix = pathPrefixOf(text.publicUrl);
  const items = text.sections.map(
    ({ id, title, operation }) =>
      `<li><a href="#${id}">${operation === undefined ? escapeHtml(title) : `<code>${id}</code>`}</a></li>`,
  );
  const navigation = `<nav aria-label="Sections"><details open><summary>Sections</summary><ul>${items.join('')}</ul></details></nav>`;
  const main = `<h1>${escapeHtml(text.title)} <small>${escapeHtml(text.version)}</small></h1>
<p class="summary">${escapeHtml(text.summary)} Also <a href="${prefix}${routes.referenceMarkdown.path}">as Markdown</a> and <a href="${prefix}${routes.openApi.path}">as OpenAPI</a>.</p>
${renderCredential(text.scopes)}
${text.sections.map((section) => renderSection(section, text)).join('\n')}`;
  const head = `<script type="module" src="${prefix}${assets}/console.js"></script>`;
  return renderPage({ title: `${text.title} reference`, main, head, demoKey, navigation, prefix });
}

export interface PageParts {
  readonly title: string;
  readonly main: string;
  /** The elements for its own scripts and style sheets. */
  readonly head: string;
  readonly navigation: string;
  readonly demoKey: string | undefined;
  /** The path of PUBLIC_URL. */
  readonly prefix: string;
  /** As wide as the window allows. */
  readonly isWide?: boolean;
}

/** The frame of every page of this server. */
export const renderPage = ({
  title,
  main,
  head,
  navigation,
  demoKey,
  prefix,
  isWide = false,
}: PageParts): string => `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<title>${escapeHtml(title)}</title>
${iconLink}
<link rel="stylesheet" href="${prefix}${assets}/reference.css">
${demoKey === undefined ? '' : `<meta name="demo-key" content="${escapeHtml(demoKey)}">\n`}${head}
</head>
<body>
<a class="skip" href="#main">Skip to the content</a>
<header><a href="${prefix}${routes.index.path}">Catalog Read API</a> <a href="${prefix}${routes.reference.path}">Reference</a> <a href="${prefix}${routes.dashboard.path}">Dashboard</a></header>
<div class="columns${navigation === '' ? ' single' : ''}${isWide ? ' all' : ''}">
${navigation}
<main id="main" tabindex="-1">
${main}
</main>
</div>
</body>
</html>
`;

/** Filled in once for all consoles of the page. Nothing is stored. */
const renderCredential = (
  scopes: readonly string[],
): string => `<section id="credential" aria-labelledby="credential-title">
<h2 id="credential-title">Credential of the consoles</h2>
<p>Kept in the memory of this page, and sent to this server alone.</p>
<noscript><p>The consoles need JavaScript; everything else on this page does not.</p></noscript>
<div class="credentials">
<form data-credential="key" aria-labelledby="key-title">
<h3 id="key-title">API key</h3>
<label>API key <input name="key" type="password" autocomplete="off" spellcheck="false"></label>
<button type="submit">Use this key</button>
</form>
<form data-credential="client" aria-labelledby="client-title">
<h3 id="client-title">Client credentials</h3>
<label>Client id <input name="client_id" autocomplete="off" spellcheck="false"></label>
<label>Client secret <input name="client_secret" type="password" autocomplete="off" spellcheck="false"></label>
<fieldset><legend>Scopes (none: all of the key)</legend>
${scopes.map((scope) => `<label class="choice"><input type="checkbox" name="scope" value="${scope}"> ${scope}</label>`).join('\n')}
</fieldset>
<button type="submit">Fetch a token</button>
</form>
</div>
<p role="status" data-credential-state>No credential yet.</p>
</section>`;

function renderSection({ id, title, markdown, operation }: Section, text: ReferenceText): string {
  return `<section id="${id}" aria-labelledby="${id}-title">
<h2 id="${id}-title">${escapeHtml(title)}</h2>
${renderMarkdown(markdown)}
${operation === undefined ? '' : renderConsole(operation, text)}
</section>`;
}

/** The call and its twin beside each other, both filled from the same form. */
function renderConsole(operation: OperationReference, { publicUrl }: ReferenceText): string {
  const { operationId: id, path, parameters, document, variables, exampleVariables, exampleResponse } = operation;
  const fields = parameters.map((each) => renderField(id, each)).join('\n');
  return `<form class="console" data-operation="${id}" data-path="${pathPrefixOf(publicUrl)}${path}" data-variables="${escapeHtml(JSON.stringify(variables))}" aria-label="Try ${id}">
<h3>Try it</h3>
<div class="fields">
${fields}
</div>
<button type="submit">Run both</button>
<p role="status" data-comparison></p>
<div class="twins">
<div>
<h4>REST</h4>
${renderCode(`curl -H "Authorization: Bearer $KEY" \\\n  "${publicUrl}${exampleTarget(operation)}"`, 'sh', ' data-rest-call')}
<p data-rest-state>Example response:</p>
${renderCode(JSON.stringify(exampleResponse, null, 2), 'json', ' data-rest-response')}
</div>
<div>
<h4>GraphQL</h4>
<details><summary>The document that runs for it</summary>
${renderCode(document, 'graphql', ' data-document')}
</details>
<p>Variables:</p>
${renderCode(JSON.stringify(exampleVariables, null, 2), 'json', ' data-graphql-variables')}
<p data-graphql-state>Run it to see that it returns the same objects.</p>
${renderCode('', 'json', ' data-graphql-response hidden')}
</div>
</div>
</form>`;
}

function renderField(operationId: string, parameter: ParameterReference): string {
  const { name, words, example, target, in: place } = parameter;
  const attributes = [
    `name="${name}"`,
    `data-in="${place}"`,
    ...(target === undefined ? [] : [`data-target="${target.path.join('.')}"`, `data-type="${target.type}"`]),
  ].join(' ');
  const id = `${operationId}-${name}`;
  // Example values of headers are for one response only.
  const value = place === 'header' ? '' : (example ?? '');
  const control =
    words === undefined
      ? `<input id="${id}" ${attributes} value="${escapeHtml(value)}" autocomplete="off" spellcheck="false">`
      : `<select id="${id}" ${attributes}><option value=""></option>${words
          .map((word) => `<option${word === value ? ' selected' : ''}>${word}</option>`)
          .join('')}</select>`;
  return `<div><label for="${id}">${name}</label>${control}</div>`;
}
