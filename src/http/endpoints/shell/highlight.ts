import { join } from 'node:path';
import { escapeHtml } from './html';

type Tokens = (text: string, language: string) => readonly (readonly [kind: string | undefined, part: string])[];

/** The script of the pages itself: the server and the browser color code in one way. */
// A script of the browser, which no import knows.
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
