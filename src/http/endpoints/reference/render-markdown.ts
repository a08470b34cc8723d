import { Marked, Renderer } from 'marked';

const escapes: Readonly<Record<string, string>> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;' };

/** Text as HTML, also inside an attribute in double quotes. */
export const escapeHtml = (text: string): string => text.replace(/[&<>"]/g, (character) => escapes[character] ?? '');

/** A name for an anchor: `RATE_LIMITED` stays, everything else is lower case with dashes. */
const toAnchor = (text: string): string => (/^[A-Z_]+$/.test(text) ? text : text.toLowerCase().replaceAll(/\W+/g, '-'));

/** Anchors of the errors: `RATE_LIMITED` leads to its row. */
const codeInFirstCell = /<tr>\n<td><code>([A-Z_]+)<\/code>/g;

const marked = new Marked({
  renderer: {
    // The texts are ours and contain no markup; whatever looks like it is text.
    html: ({ text }) => escapeHtml(text),
    heading({ tokens, depth, text }) {
      return `<h${depth} id="${escapeHtml(toAnchor(text))}">${this.parser.parseInline(tokens)}</h${depth}>\n`;
    },
    code: ({ text, lang = '' }) => renderCode(text, lang),
    // Wider than a phone: it scrolls separately, with the keyboard too.
    table(token) {
      const table = (Renderer.prototype as Renderer<string>).table
        .call(this, token)
        .replaceAll('<th>', '<th scope="col">');
      const name = token.header.map(({ text }) => text).join(', ');
      return `<div class="wide" tabindex="0" role="group" aria-label="Table: ${escapeHtml(name)}">${table.replace(
        codeInFirstCell,
        '<tr id="$1">\n<td><code>$1</code>',
      )}</div>\n`;
    },
  },
});

export const renderMarkdown = (markdown: string): string => marked.parse(markdown, { async: false });

const languageNames: Readonly<Record<string, string>> = {
  sh: 'Shell commands',
  js: 'JavaScript',
  json: 'JSON',
  graphql: 'GraphQL document',
};

/** A piece of code that scrolls separately. */
export const renderCode = (text: string, language: string, attributes = ''): string =>
  `<pre tabindex="0" role="group" aria-label="${languageNames[language] ?? 'Code'}"${attributes}><code>${escapeHtml(text)}</code></pre>\n`;
