import { join } from 'node:path';
import { pathPrefixOf } from '../../../common/public-url';
import { routes } from '../../routes';
import { nearest } from '../../../common/nearest';
import { shorten } from '../../../common/one-line';

const escapes: Readonly<Record<string, string>> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;' };

/** Text as HTML, also inside an attribute in double quotes. */
export const escapeHtml = (text: string): string => text.replace(/[&<>"]/g, (character) => escapes[character] ?? '');

/**
 * A tab of a tab list; shell.js switches between them.
 * @param panel the id of its panel
 * @param at its index in the list: the first is selected initially
 * @param attributes further ones, each with a space before it
 */
export const renderTab = (panel: string, name: string, at: number, attributes = ''): string =>
  `<button type="button" role="tab" aria-controls="${panel}" aria-selected="${at === 0}" tabindex="${at === 0 ? 0 : -1}"${attributes}>${name}</button>`;

const escapesInScript: Readonly<Record<string, string>> = {
  '<': '\\u003c',
  '>': '\\u003e',
  '&': '\\u0026',
  '\u2028': '\\u2028',
  '\u2029': '\\u2029',
};

/**
 * Writes a value as an expression inside `<script>`. No text can end the element or open a comment, because the
 * characters needed for that are always escaped. In JSON they occur only within strings, where the escape means the
 * same.
 */
export const toInlineJson = (value: unknown): string =>
  JSON.stringify(value).replace(/[<>&\u2028\u2029]/g, (character) => escapesInScript[character] ?? character);

/** Joins the directives, in their order, to the text of the header. */
export const toContentSecurityPolicy = (directives: Readonly<Record<string, readonly string[]>>): string =>
  Object.entries(directives)
    .map(([name, sources]) => [name, ...sources].join(' '))
    .join('; ');

/** Disabled on all pages: sources that are not listed, other bases, forms and framing. */
export const closedByDefault: Readonly<Record<string, readonly string[]>> = {
  'default-src': ["'none'"],
  'base-uri': ["'none'"],
  'form-action': ["'none'"],
  'frame-ancestors': ["'none'"],
};

const strokes = 'fill="none" stroke="currentColor" stroke-linecap="round" stroke-linejoin="round" aria-hidden="true"';
const drawn = (size: number, width: number, path: string): string =>
  `<svg width="${size}" height="${size}" viewBox="0 0 ${size} ${size}" stroke-width="${width}" ${strokes}>${path}</svg>`;

/** The icons of the pages. Each is next to a word or has a name for screen readers. */
export const icons = {
  mark: '<svg viewBox="0 0 28 28" aria-hidden="true"><rect width="28" height="28" rx="7" fill="#0b6a66"/><path fill="#fff" d="M6.500 7h3.200v14H6.500zM11 9.500h3.200V21H11z"/><path fill="#f3b34c" d="m15.600 9.300 3-.9L22.400 20.300l-3 .9z"/></svg>',
  search: drawn(16, 1.6, '<circle cx="7" cy="7" r="4.600"/><path d="m10.600 10.600 3.200 3.200"/>'),
  theme:
    '<svg width="17" height="17" viewBox="0 0 17 17" aria-hidden="true"><circle cx="8.500" cy="8.500" r="6" fill="none" stroke="currentColor" stroke-width="1.500"/><path d="M8.500 2.500a6 6 0 0 1 0 12z" fill="currentColor"/></svg>',
  copy: drawn(16, 1.5, '<rect x="5.500" y="5.500" width="8" height="8" rx="1.800"/><path d="M10.500 5.500V4a1.500 1.500 0 0 0-1.500-1.500H4A1.500 1.500 0 0 0 2.500 4v5A1.500 1.500 0 0 0 4 10.500h1.500"/>'),
  down: drawn(12, 1.6, '<path d="m2.500 4.500 3.500 3.500 3.500-3.500"/>'),
  right: drawn(12, 1.6, '<path d="m4.500 2.500 3.500 3.500-3.500 3.500"/>'),
  arrow: drawn(14, 1.6, '<path d="M2.500 7h9M8 3.500 11.500 7 8 10.500"/>'),
  play: '<svg width="10" height="10" viewBox="0 0 10 10" fill="currentColor" aria-hidden="true"><path d="M2 1v8l6.500-4z"/></svg>',
  query: drawn(16, 1.5, '<path d="M5.500 4 1.500 8l4 4m5-8 4 4-4 4"/>'),
  save: drawn(16, 1.5, '<path d="M8 2.500v7.500m-3-3 3 3 3-3M3 13.500h10"/>'),
  close: drawn(16, 1.6, '<path d="m4 4 8 8m0-8-8 8"/>'),
} as const; // prettier-ignore

type Tokens = (text: string, language: string) => readonly (readonly [kind: string | undefined, part: string])[];

/** The pages' own script, so that server and browser highlight code in the same way. */
// A browser script without exports.
// eslint-disable-next-line @typescript-eslint/no-require-imports
const { tokens, print } = require(join(__dirname, 'assets/highlight.js')) as {
  readonly tokens: Tokens;
  readonly print: (value: unknown) => string;
};

/** JSON for people. */
export const printJson = print;

/** Code as HTML, with a span for each part that has a color. */
export const highlight = (text: string, language: string): string =>
  tokens(text, language)
    .map(([kind, part]) => (kind === undefined ? escapeHtml(part) : `<span class="${kind}">${escapeHtml(part)}</span>`))
    .join('');

/** Files copied from other packages by the build (scripts/build.mjs) and loaded by pages. */
export const vendorFile = (name: string) => ({ name, path: join(__dirname, '../../vendor', name) });

/** Everything is loaded from and sent to this server; nothing is inline. */
export const pageDirectives = {
  ...closedByDefault,
  'script-src': ["'self'"],
  'style-src': ["'self'"],
  'font-src': ["'self'"],
  'img-src': ["'self'", 'data:'],
  'connect-src': ["'self'"],
};
export const contentSecurityPolicy = toContentSecurityPolicy(pageDirectives);

/** Facts about the installation for the shell of every page. */
export interface ShellFacts {
  readonly publicUrl: string;
  readonly version: string;
  readonly scopes: readonly string[];
  readonly hasExplorer: boolean;
  /** Paths for programs, with their names. */
  readonly forPrograms: readonly { readonly path: string; readonly name: string; readonly meaning: string }[];
}

interface PageParts {
  readonly title: string;
  readonly description: string;
  readonly main: string;
  /** The path of the page, which the bar highlights. */
  readonly current?: string;
  /** The paths of its own style sheets and scripts, from the root of the service. */
  readonly files?: readonly string[];
  /** The modules that those scripts import, preloaded. */
  readonly modules?: readonly string[];
  /** Scripts that define names for all others, and so come first. */
  readonly libraries?: readonly string[];
  /** Between the bar and `main`: the sections of the page. */
  readonly navigation?: string;
  readonly mainClass?: string;
  /** The key that the page starts with. */
  readonly demoKey?: string | undefined;
  /** Fills the window: without a footer. */
  readonly isWhole?: boolean;
}

export const assetsPath = routes.referenceFiles.path.replace('/{*file}', '');

const pagesOf = ({ hasExplorer }: ShellFacts): readonly (readonly [path: string, name: string])[] => [
  [routes.reference.path, 'Reference'],
  [routes.graphqlReference.path, 'GraphQL'],
  [routes.dashboard.path, 'Dashboard'],
  ...(hasExplorer ? [[routes.explorer.path, 'Explorer'] as const] : []),
];

/** The elements that lead to a page's style sheets and scripts. */
const linkFiles = (paths: readonly string[]): string =>
  paths
    .map((path) =>
      path.endsWith('.css')
        ? `<link rel="stylesheet" href="${path}">`
        : `<script type="module" src="${path}"></script>`,
    )
    .join('\n');

/** A page in the shell: bar, key, menu, search, foot. */
export function renderPage(facts: ShellFacts, parts: PageParts): string {
  const prefix = pathPrefixOf(facts.publicUrl);
  const assets = `${prefix}${assetsPath}`;
  const {
    title,
    description,
    main,
    demoKey,
    navigation = '',
    mainClass,
    isWhole = false,
    files = [],
    modules = [],
    libraries = [],
  } = parts;
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>${escapeHtml(title)}</title>
<meta name="description" content="${escapeHtml(description)}">
<meta property="og:title" content="${escapeHtml(title)}">
<meta property="og:description" content="${escapeHtml(description)}">
<meta property="og:image" content="${escapeHtml(facts.publicUrl)}${assetsPath}/link.png">
<meta name="twitter:card" content="summary_large_image">
<link rel="icon" href="${assets}/icon.svg" type="image/svg+xml">
<link rel="preload" href="${assets}/inter-latin.woff2" as="font" type="font/woff2" crossorigin>
${demoKey === undefined ? '' : `<meta name="demo-key" content="${escapeHtml(demoKey)}">\n`}<script src="${assets}/theme.js"></script>
${linkFiles(['tokens.css', 'shell.css', 'shell.js'].map((name) => `${assets}/${name}`))}
${libraries.map((path) => `<script defer src="${prefix}${path}"></script>`).join('\n')}
${linkFiles(files.map((path) => `${prefix}${path}`))}
${modules.map((path) => `<link rel="modulepreload" href="${prefix}${path}">`).join('\n')}
</head>
<body>
<a class="skip" href="#main">Skip to content</a>
<a class="skip" href="${prefix}${routes.llms.path}">Documentation for language models: llms.txt</a>
${renderBar(facts, parts, prefix)}
${renderKey(facts, demoKey)}
${renderMenu(facts, parts, prefix)}
${navigation === '' ? '' : `<div class="docs">\n${navigation}\n`}<main id="main" tabindex="-1"${mainClass === undefined ? '' : ` class="${mainClass}"`}>
${main}
</main>
${navigation === '' ? '' : '</div>\n'}${isWhole ? '' : renderFoot(facts, prefix)}
${search}
</body>
</html>
`;
}

const isCurrent = (path: string, { current }: PageParts): string => (path === current ? ' aria-current="page"' : '');

function renderBar(facts: ShellFacts, parts: PageParts, prefix: string): string {
  const pages = pagesOf(facts);
  const here = pages.find(([path]) => path === parts.current)?.[1] ?? 'Catalog';
  const links = pages.map(
    ([path, name]) => `<a href="${prefix}${path}"${isCurrent(path, parts)} data-group="Pages" data-kind>${name}</a>`,
  );
  return `<header class="bar">
<a class="brand" href="${prefix}/" aria-label="Catalog Read API, home">${icons.mark}<span>Catalog <span>Read API</span></span></a>
<button type="button" class="here" popovertarget="menu">${here} ${icons.down}</button>
<nav class="nav" aria-label="Pages">${links.join('')}</nav>
<div class="bar-end">
<button type="button" class="find" data-search aria-label="Search the docs Ctrl K">${icons.search}<span>Search the docs</span><kbd>Ctrl K</kbd></button>
<button type="button" class="key" popovertarget="key"><i></i><b data-key-name>Add a key</b></button>
<button type="button" class="icon theme" data-theme-switch>${icons.theme}</button>
<a class="ver" href="${prefix}${routes.changelog.path}" title="What's new" data-group="Pages" data-kind data-name="Changelog">v${facts.version.replace(/\.0$/, '')}</a>
</div>
</header>`;
}

/** One key for all pages; the browser tab keeps it until it is closed. */
const renderKey = ({ scopes }: ShellFacts, demoKey: string | undefined): string => `<div class="pop" id="key" popover role="dialog" aria-labelledby="key-title">
<h2 class="h3" id="key-title">API key</h2>
<p class="muted small" role="status" data-key-state>Sent only to this server. All pages in this tab use it until you close the tab.</p>
<noscript><p>Sending requests requires JavaScript.</p></noscript>
<form data-credential="key">
<label class="label" for="key-text">API key or access token</label>
<input class="field" id="key-text" name="key" data-secret autocomplete="off" spellcheck="false" autofocus>
<details class="fold"><summary>${icons.right}Use client ID and secret instead</summary>
<label class="label" for="client-id">Client ID</label>
<input class="field" id="client-id" name="client_id" autocomplete="off" spellcheck="false">
<label class="label" for="client-secret">Client secret</label>
<input class="field" id="client-secret" name="client_secret" data-secret autocomplete="off" spellcheck="false">
<fieldset class="scopes"><legend>Scopes (default: all scopes of the key)</legend>
${scopes.map((scope) => `<label class="check"><input type="checkbox" name="scope" value="${scope}"> ${scope}</label>`).join('\n')}
</fieldset></details>
<div class="do"><button type="submit" class="btn primary small">Use this key</button><button type="button" class="btn small" data-forget>${demoKey === undefined ? 'Remove the key' : 'Back to the demo key'}</button></div>
</form>
</div>`; // prettier-ignore

function renderMenu(facts: ShellFacts, parts: PageParts, prefix: string): string {
  const { navigation = '' } = parts;
  const pages = [['/', 'Home'] as const, ...pagesOf(facts)].map(
    ([path, name]) => `<a href="${prefix}${path}"${isCurrent(path, parts)}>${name} ${icons.right}</a>`,
  );
  return `<div class="menu" id="menu" popover>
<nav class="pages" aria-label="All pages">${pages.join('')}</nav>
<button type="button" class="row" data-theme-switch>${icons.theme}</button>
<div class="row"><span>Version ${facts.version}</span><a href="${prefix}${routes.changelog.path}">What’s new</a></div>
${navigation === '' ? '' : `<div class="toc">${navigation.replace('class="side" aria-label="', 'class="side" aria-label="In the menu: ')}</div>`}
</div>`;
}

function renderFoot({ forPrograms }: ShellFacts, prefix: string): string {
  const rows = forPrograms.map(
    ({ path, name, meaning }) =>
      `<div><dt><a href="${prefix}${path}" title="${meaning}" data-group="Pages" data-kind data-name="${name}">${path}</a></dt><dd>${name}</dd></div>`,
  );
  return `<footer class="foot"><div class="foot-in">
<p><strong>For programs</strong><br>The references and the changelog are also available as Markdown: add <code>.md</code> to the path.</p>
<dl>${rows.join('')}</dl>
</div></footer>`;
}

const search = `<dialog class="palette" id="palette" aria-label="Search">
<div class="palette-in">${icons.search}<input aria-label="Search the docs" role="combobox" aria-expanded="true" aria-controls="hits" aria-autocomplete="list" autocomplete="off" spellcheck="false"><kbd class="esc">esc</kbd><button type="button" class="icon only-phone" data-closes aria-label="Close">${icons.close}</button></div>
<div class="palette-list" id="hits" role="listbox" aria-label="Results"></div>
<div class="palette-foot"><span><kbd>↑</kbd> <kbd>↓</kbd> select</span><span><kbd>↵</kbd> open</span><span class="counted" role="status" data-counted></span></div>
</dialog>`; // prettier-ignore

const art = `<svg class="shelf-art" viewBox="0 0 420 220" role="img" aria-label="A shelf of books with a gap">
<path class="f1" d="M40 60h26v130H40z"/><path class="f2" d="M70 38h20v152H70z"/><path class="f3" d="M94 74h32v116H94z"/><path class="f1" d="M130 52h18v138h-18z"/><path class="f4" d="M152 84h24v106h-24z"/><path class="gap" d="M184 46h40v144h-40z"/><path class="f5" d="m236 78 22-7 36 112-22 7z"/><path class="f2" d="M300 58h22v132h-22z"/><path class="f3" d="M326 44h28v146h-28z"/><path class="f1" d="M358 80h22v110h-22z"/><path class="board" d="M18 190h384v9H18z"/>
</svg>`;

/** The 404 page for browsers. */
export function renderNotFoundPage(facts: ShellFacts, path: string): string {
  const prefix = pathPrefixOf(facts.publicUrl);
  const ways = [
    ['/', 'Home', 'an overview of the API'],
    [routes.reference.path, 'Reference', 'operations, guides and errors'],
    [routes.graphqlReference.path, 'GraphQL', 'queries and types'],
    [routes.dashboard.path, 'Dashboard', 'charts and totals of the shop'],
  ] as const;
  const known = ways.slice(1).map(([to]) => to);
  const meant = nearest(path.slice(0, 40), known, () => 3);
  return renderPage(facts, {
    title: 'Page not found · Catalog Read API',
    description: 'This page does not exist.',
    files: [`${assetsPath}/not-found.css`],
    mainClass: 'not-found',
    main: `${art}
<p class="num4">404</p>
<h1>Page not found: <code>${escapeHtml(shorten(path, 60))}</code></h1>
<p class="lead">${meant === undefined ? 'Paths are case-sensitive, and trailing slashes matter.' : `Did you mean <a href="${prefix}${meant}"><code>${meant}</code></a>?`}</p>
<ul class="ways">${ways.map(([to, name, what]) => `<li><a href="${prefix}${to}"><b>${name}</b><span>${what}</span></a></li>`).join('')}</ul>
<p class="small">Programs get JSON: <code>{ "error": { "code": "NOT_FOUND", … } }</code></p>`,
  });
}
