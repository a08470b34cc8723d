import { pathPrefixOf } from '../../../common/public-url';
import { routes } from '../../routes';
import { closedByDefault, toContentSecurityPolicy, escapeHtml } from './html';
import { icons } from './icons';

/** Everything comes from this server and goes to it; nothing is inline. */
export const pageDirectives = {
  ...closedByDefault,
  'script-src': ["'self'"],
  'style-src': ["'self'"],
  'font-src': ["'self'"],
  'img-src': ["'self'", 'data:'],
  'connect-src': ["'self'"],
};
export const contentSecurityPolicy = toContentSecurityPolicy(pageDirectives);

/** What the shell of every page needs to know of the installation. */
export interface ShellFacts {
  readonly publicUrl: string;
  readonly version: string;
  readonly scopes: readonly string[];
  readonly hasExplorer: boolean;
  /** Addresses for programs, with what each is. */
  readonly forPrograms: readonly (readonly [path: string, meaning: string])[];
}

export interface PageParts {
  readonly title: string;
  readonly description: string;
  readonly main: string;
  /** The path of the page, which the bar marks. */
  readonly current?: string;
  /** The paths of its own style sheets and scripts, from the root of the service. */
  readonly files?: readonly string[];
  /** The modules that those scripts import, fetched before they ask. */
  readonly modules?: readonly string[];
  /** Scripts that define names for all others, and so come first. */
  readonly libraries?: readonly string[];
  /** Between the bar and `main`: the sections of the page. */
  readonly navigation?: string;
  readonly mainClass?: string;
  /** The key that the page starts with. */
  readonly demoKey?: string | undefined;
  /** Fills the window: without addresses for programs at its end. */
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
<script src="${assets}/theme.js"></script>
${linkFiles(['tokens.css', 'shell.css', 'shell.js'].map((name) => `${assets}/${name}`))}
${libraries.map((path) => `<script defer src="${prefix}${path}"></script>`).join('\n')}
${linkFiles(files.map((path) => `${prefix}${path}`))}
${modules.map((path) => `<link rel="modulepreload" href="${prefix}${path}">`).join('\n')}
${demoKey === undefined ? '' : `<meta name="demo-key" content="${escapeHtml(demoKey)}">\n`}</head>
<body>
<a class="skip" href="#main">Skip to the content</a>
<a class="skip" href="${prefix}${routes.llms.path}">Documents and instructions for language models: llms.txt</a>
${renderBar(facts, parts, prefix)}
${renderKey(facts, demoKey)}
${renderMenu(facts, parts, prefix)}
${navigation === '' ? '' : `<div class="docs">\n${navigation}\n`}<main id="main" tabindex="-1"${mainClass === undefined ? '' : ` class="${mainClass}"`}>
${main}
</main>
${navigation === '' ? '' : '</div>\n'}${isWhole ? '' : renderFoot(facts, prefix)}
${renderSearch(assets)}
</body>
</html>
`;
}

const isCurrent = (path: string, { current }: PageParts): string => (path === current ? ' aria-current="page"' : '');

function renderBar(facts: ShellFacts, parts: PageParts, prefix: string): string {
  const pages = pagesOf(facts);
  const here = pages.find(([path]) => path === parts.current)?.[1] ?? 'Catalog';
  const links = pages.map(([path, name]) => `<a href="${prefix}${path}"${isCurrent(path, parts)}>${name}</a>`);
  return `<header class="bar">
<a class="brand" href="${prefix}/" aria-label="Catalog Read API, home">${icons.mark}<span>Catalog <span>Read API</span></span></a>
<button type="button" class="here" data-opens="menu" aria-expanded="false" aria-controls="menu">${here} ${icons.down}</button>
<nav class="nav" aria-label="Pages">${links.join('')}</nav>
<div class="bar-end">
<button type="button" class="find" data-opens="palette" aria-label="Search the docs Ctrl K">${icons.search}<span>Search the docs</span><kbd>Ctrl K</kbd></button>
<button type="button" class="key" data-opens="key" aria-expanded="false" aria-controls="key"><i></i><b data-key-name>Add a key</b></button>
<button type="button" class="icon theme" data-theme-switch aria-label="Theme: system" title="Theme: system">${icons.theme}</button>
<a class="ver" href="${prefix}${routes.changelog.path}" title="What is new">v${facts.version.replace(/\.0$/, '')}</a>
</div>
</header>`;
}

/** One key for all pages of a tab, which keeps it until it is closed. */
const renderKey = ({ scopes }: ShellFacts, demoKey: string | undefined): string => `<div class="pop" id="key" role="dialog" aria-labelledby="key-title">
<h2 class="h3" id="key-title">API key</h2>
<p class="muted small" role="status" data-key-state>Sent only to this server. All pages of this tab use it until you close the tab.</p>
<noscript><p>Sending calls needs JavaScript; everything else on this page does not.</p></noscript>
<form data-credential="key">
<label class="label" for="key-text">API key or access token</label>
<input class="field" id="key-text" name="key" data-secret autocomplete="off" spellcheck="false">
<details class="fold"><summary>${icons.right}Client id and secret instead</summary>
<label class="label" for="client-id">Client id</label>
<input class="field" id="client-id" name="client_id" autocomplete="off" spellcheck="false">
<label class="label" for="client-secret">Client secret</label>
<input class="field" id="client-secret" name="client_secret" data-secret autocomplete="off" spellcheck="false">
<fieldset class="scopes"><legend>Scopes (none: all of the key)</legend>
${scopes.map((scope) => `<label class="check"><input type="checkbox" name="scope" value="${scope}"> ${scope}</label>`).join('\n')}
</fieldset></details>
<div class="do"><button type="submit" class="btn primary small">Use this key</button><button type="button" class="btn small" data-forget>${demoKey === undefined ? 'Remove the key' : 'Back to the demo key'}</button></div>
</form>
</div>`; // prettier-ignore

function renderMenu(facts: ShellFacts, parts: PageParts, prefix: string): string {
  const pages = [['/', 'Home'] as const, ...pagesOf(facts)].map(
    ([path, name]) => `<a href="${prefix}${path}"${isCurrent(path, parts)}>${name} ${icons.right}</a>`,
  );
  const themes = ['light', 'dark', 'system'].map(
    (name) => `<button type="button" data-theme-choice="${name}" aria-pressed="false">${name}</button>`,
  );
  return `<div class="menu" id="menu">
<nav class="pages" aria-label="All pages">${pages.join('')}</nav>
<div class="row"><span>Theme</span><span class="seg">${themes.join('')}</span></div>
<div class="row"><span>Version ${facts.version}</span><a href="${prefix}${routes.changelog.path}">What is new</a></div>
<div class="toc" data-toc></div>
</div>`;
}

function renderFoot({ forPrograms }: ShellFacts, prefix: string): string {
  const rows = forPrograms.map(
    ([path, meaning]) => `<div><dt><a href="${prefix}${path}">${path}</a></dt><dd>${escapeHtml(meaning)}</dd></div>`,
  );
  return `<footer class="foot"><div class="foot-in">
<p><strong>For programs</strong><br>The references and the changelog are Markdown, too: add <code>.md</code> to their path.</p>
<dl>${rows.join('')}</dl>
</div></footer>`;
}

const renderSearch = (assets: string): string => `<div class="scrim" id="palette" data-index="${assets}/search.json">
<div class="palette" role="dialog" aria-modal="true" aria-label="Search">
<div class="palette-in">${icons.search}<input aria-label="Search the docs" role="combobox" aria-expanded="true" aria-controls="hits" aria-autocomplete="list" autocomplete="off" spellcheck="false"><kbd class="esc">esc</kbd><button type="button" class="icon only-phone" data-closes aria-label="Close">${icons.close}</button></div>
<div class="palette-list" id="hits" role="listbox" aria-label="Hits"></div>
<div class="palette-foot"><span><kbd>↑</kbd> <kbd>↓</kbd> choose</span><span><kbd>↵</kbd> open</span><span class="counted" role="status" data-counted></span></div>
</div>
</div>`; // prettier-ignore
