import { routes } from '../../routes';
import { assetsPath, renderPage, type ShellFacts, escapeHtml } from '../shell/render-shell';
import { renderMarkdown, toAnchor } from './render-markdown';

/** Links to files of the repository, which are not served: only their text is kept. */
export const fileLink = /\[([^[\]]{1,200})\]\([^()]{1,200}\)/g;

/** CHANGELOG.md as a page, a section for each version. */
export function renderChangelogPage(changelog: string, facts: ShellFacts, demoKey: string | undefined): string {
  const [introduction = '', ...versions] = changelog.replaceAll(fileLink, '$1').split(/^## /m);
  const sections = versions.map((part) => {
    const end = part.indexOf('\n');
    const name = part.slice(0, end).trim();
    return { id: `v${toAnchor(name)}`, name, text: part.slice(end) };
  }); // prettier-ignore
  return renderPage(facts, {
    title: 'Changelog · Catalog Read API',
    description: 'Notable changes by version.',
    current: routes.changelog.path,
    files: [`${assetsPath}/reference.css`],
    demoKey,
    navigation: `<nav class="side" aria-label="Versions"><h2>Versions</h2><ul>${sections.map(({ id, name }) => `<li><a href="#${id}">${escapeHtml(name)}</a></li>`).join('')}</ul></nav>`,
    main: `<h1 class="sr">Changelog</h1>
${sections.map(({ id, name, text }, at) => `<article class="op wide" id="${id}" aria-labelledby="${id}-title"><div class="intro"><p class="crumb">Changelog</p><h2 id="${id}-title">${escapeHtml(name)}</h2>${at === 0 ? `<div class="lead">${renderMarkdown(introduction.replace(/^# .*/, ''))}</div>` : ''}</div><div class="text"><div class="md">${renderMarkdown(text)}</div></div></article>`).join('\n')}`,
  });
}
