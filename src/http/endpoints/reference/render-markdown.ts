import { Marked, Renderer } from 'marked';
import { escapeHtml } from '../shell/escape-html';
import { highlight } from '../shell/highlight';
import { icons } from '../shell/icons';

/** A name for an anchor: lower case with dashes. */
export const toAnchor = (text: string): string => text.toLowerCase().replaceAll(/\W+/g, '-');

const marked = new Marked({
  renderer: {
    // The texts are ours and contain no markup; whatever looks like it is text.
    html: ({ text }) => escapeHtml(text),
    heading({ tokens, depth, text }) {
      return `<h${depth} id="${escapeHtml(toAnchor(text))}">${this.parser.parseInline(tokens)}</h${depth}>\n`;
    },
    code: ({ text, lang = '' }) => renderCode(text, lang),
    // A phone shows the cells of a row below each other: its roles are written, because `display` takes them away.
    table(token) {
      return (Renderer.prototype as Renderer<string>).table
        .call(this, token)
        .replace('<table>', '<table role="table">')
        .replaceAll('<th>', '<th scope="col" role="columnheader">')
        .replaceAll('<tr>', '<tr role="row">')
        .replaceAll('<td>', '<td role="cell">');
    },
  },
});

export const renderMarkdown = (markdown: string): string => marked.parse(markdown, { async: false });

const languageNames: Readonly<Record<string, string>> = {
  sh: 'Shell',
  js: 'JavaScript',
  ts: 'TypeScript',
  json: 'JSON',
  graphql: 'GraphQL',
  python: 'Python',
  php: 'PHP',
};

const copyButton = `<button type="button" class="icon" data-copy aria-label="Copy" title="Copy">${icons.copy}</button>`;

/** The text of a piece of code alone; it scrolls in its own box, with the keyboard too. */
export const renderPre = (text: string, language: string, attributes = ''): string =>
  `<pre tabindex="0" role="group" aria-label="${languageNames[language] ?? 'Code'}"${attributes}><code>${highlight(text, language)}</code></pre>`;

/** A piece of code in its box, with its language and a button that copies it. */
export const renderCode = (
  text: string,
  language: string,
  attributes = '',
  title = languageNames[language] ?? '',
): string =>
  `<div class="code"><div class="code-head"><span class="title">${escapeHtml(title)}</span>${copyButton}</div>
${renderPre(text, language, attributes)}</div>\n`;

/** A line of Markdown without a paragraph around it. */
export const renderInline = (markdown: string): string => marked.parseInline(markdown, { async: false });
