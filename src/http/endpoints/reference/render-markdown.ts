import type { Token } from 'marked';
import { Marked, Renderer } from 'marked';
import { escapeHtml, highlight, icons } from '../shell/render-shell';

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
    table(token) {
      if (token.header.at(-1)?.text === 'remedy')
        return renderErrorRows(token.rows.map((row) => row.map(({ text }) => text)));
      // Phones show the cells of a row below each other. Roles are explicit, because `display` removes the implicit
      // ones.
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

/** A text with its code in the third column: each piece begins next to the text before it. */
export function renderSteps(markdown: string): string {
  const steps: { words: Token[]; code: Token[] }[] = [];
  for (const token of marked.lexer(markdown)) {
    if (token.type === 'space') continue;
    let step = steps.at(-1);
    const isCode = token.type === 'code';
    if (step === undefined || (!isCode && step.code.length > 0)) steps.push((step = { words: [], code: [] }));
    step[isCode ? 'code' : 'words'].push(token);
  }
  const column = (name: string, tokens: Token[]): string =>
    tokens.length === 0 ? '' : `<div class="${name}">${marked.parser(tokens)}</div>`;
  return steps
    .map(({ words, code }) => `<div class="step">${column('md', words)}${column('beside', code)}</div>`)
    .join('\n');
}

/** A table of errors: code, status, cause and remedy. */
function renderErrorRows(rows: readonly (readonly string[])[]): string {
  const body = rows.map(([quoted = '', status = '', cause = '', remedy = '']) => {
    const code = escapeHtml(quoted.replaceAll('`', ''));
    return `<div class="err" role="row" id="${code}" data-group="Errors" data-kind="error" data-name="${status} ${code}"><div role="cell"><a class="name" href="#${code}">${code}</a><span class="s${status.charAt(0)} pill">${escapeHtml(status)}</span></div><p role="cell">${renderInline(cause)}</p><p role="cell">${renderInline(remedy)}</p></div>`;
  });
  return `<div class="errors" role="table" aria-label="Error codes"><div class="err head" role="row"><span role="columnheader">Code</span><span role="columnheader">Cause</span><span role="columnheader">Fix</span></div>
${body.join('\n')}</div>`;
}

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

/** A piece of code without a box; it scrolls, also with the keyboard. */
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
