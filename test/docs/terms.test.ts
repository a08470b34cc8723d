import { isHistory, proseOf, read, texts, titlesOf } from './prose';

const heading = '\n## Terms\n\nUse American spelling';

/** The rows of the table "Terms", each with two pairs: the term to use, and another for the same thing. */
const rows = [...(read('CONTRIBUTING.md').split(heading)[1] ?? '').matchAll(/^\| [a-z].*$/gm)].slice(1);
const terms = rows.flatMap(([row]) => {
  const [, term = '', other = '', secondTerm = '', second = ''] = row.split('|').map((cell) => cell.trim());
  return [
    [other, term],
    [second, secondTerm],
  ] as const;
});
const withoutTerms = (text: string): string => text.split(heading)[0] ?? '';
/** Code may use names that prose may not. */
const withoutCode = (prose: string): string => prose.replaceAll(/`[^`\n]*`/g, '');
const prose = texts
  .filter(({ path }) => !isHistory(path))
  .map(({ path, text }) => ({
    path,
    text: [...proseOf({ path, text: withoutTerms(text) }), ...titlesOf({ path, text })].map(withoutCode).join('\n'),
  }));

it.each(terms)('"%s" is written as "%s"', (other) => {
  expect(other).not.toBe('');
  const pattern = new RegExp(`\\b${other.replace(' ', '\\s+')}(?:[sdr]|er)?\\b.{0,30}`, 'gi');
  expect(prose.flatMap(({ path, text }) => [...text.matchAll(pattern)].map(([found]) => `${path}: ${found}`))).toEqual(
    [],
  );
});

it('comments end at 120 columns, as code does', () => {
  const long = texts
    .filter(({ path }) => /\.[mc]?[jt]s$/.test(path) && !/generated|schema-(?:types|inputs)|openapi\.ts/.test(path))
    .flatMap(({ path, text }) =>
      text
        .split('\n')
        .filter(
          (line) => line.length > 120 && /^\s*(?:\/[/*]|\*)/.test(line) && !/https?:|eslint-|prettier-/.test(line),
        )
        .map((line) => `${path}: ${line.trim().slice(0, 60)}`),
    );
  expect(long).toEqual([]);
});
