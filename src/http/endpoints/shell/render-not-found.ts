import { nearest } from '../../../common/nearest';
import { shorten } from '../../../common/one-line';
import { pathPrefixOf } from '../../../common/public-url';
import { routes } from '../../routes';
import { escapeHtml } from './html';
import { assetsPath, renderPage, type ShellFacts } from './render-shell';

const art = `<svg class="shelf-art" viewBox="0 0 420 220" role="img" aria-label="A shelf of books with a gap">
<path class="f1" d="M40 60h26v130H40z"/><path class="f2" d="M70 38h20v152H70z"/><path class="f3" d="M94 74h32v116H94z"/><path class="f1" d="M130 52h18v138h-18z"/><path class="f4" d="M152 84h24v106h-24z"/><path class="gap" d="M184 46h40v144h-40z"/><path class="f5" d="m236 78 22-7 36 112-22 7z"/><path class="f2" d="M300 58h22v132h-22z"/><path class="f3" d="M326 44h28v146h-28z"/><path class="f1" d="M358 80h22v110h-22z"/><path class="board" d="M18 190h384v9H18z"/>
</svg>`;

/** What a browser gets for a path that does not exist. */
export function renderNotFoundPage(facts: ShellFacts, path: string): string {
  const prefix = pathPrefixOf(facts.publicUrl);
  const ways = [
    ['/', 'Home', 'the API in one page'],
    [routes.reference.path, 'Reference', 'five operations, guides, errors'],
    [routes.graphqlReference.path, 'GraphQL', 'types, inputs, enums'],
    [routes.dashboard.path, 'Dashboard', 'figures of the shop'],
  ] as const;
  const known = ways.slice(1).map(([to]) => to);
  const meant = nearest(path.slice(0, 40), known, () => 3);
  return renderPage(facts, {
    title: 'Nothing here · Catalog Read API',
    description: 'There is nothing at this address.',
    files: [`${assetsPath}/not-found.css`],
    mainClass: 'not-found',
    main: `${art}
<p class="num4">404</p>
<h1>Nothing stands at <code>${escapeHtml(shorten(path, 60))}</code></h1>
<p class="lead">${meant === undefined ? 'Paths are exact: case counts, and so does a slash at the end.' : `Did you mean <a href="${prefix}${meant}"><code>${meant}</code></a>?`}</p>
<ul class="ways">${ways.map(([to, name, what]) => `<li><a href="${prefix}${to}"><b>${name}</b><span>${what}</span></a></li>`).join('')}</ul>
<p class="small">A program gets this as JSON: <code>{ "error": { "code": "NOT_FOUND", … } }</code></p>`,
  });
}
