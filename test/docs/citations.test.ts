import { existsSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { projectRoot } from '../../src/common/project-root';
import { files, isDocument, isHistory, proseOf, read, texts } from './prose';

const names = new Set(files.map((path) => basename(path)));

/** Numbers of the headings of a document: `## 12. …`, `### D7: …`. */
const headingsOf = (path: string, pattern: RegExp): ReadonlySet<string> =>
  new Set([...read(path).matchAll(pattern)].map(([, number = '']) => number));
const rules = headingsOf('docs/api-rules.md', /^### (D\d+): /gm);
const decisions = headingsOf('docs/decisions.md', /^## (\d+)\. /gm);

/** Lines that a comment wraps, as one. */
const unwrap = (text: string): string => text.replaceAll(/\n[ \t]*(?:\*|\/\/|--|#)?[ \t]*(?=\S)/g, ' ');

/** The places of all matches of the pattern that are not in `known`. */
const findUnknown = (pattern: RegExp, known: ReadonlySet<string>, among = texts): string[] =>
  among.flatMap(({ path, text }) =>
    [...unwrap(text).matchAll(pattern)]
      .flatMap(([, found = '']) => found.split(/[^\dD]+/))
      .filter((number) => number !== '' && !known.has(number))
      .map((number) => `${path}: ${number}`),
  );

/** Anchors as GitHub and most other renderers create them. */
const toAnchor = (heading: string): string =>
  heading
    .toLowerCase()
    .replace(/[^\p{L}\p{N}\s_-]/gu, '')
    .trim()
    .replace(/\s/g, '-');
const anchorsOf = (path: string): ReadonlySet<string> =>
  new Set([...read(path).matchAll(/^#+ (.+)$/gm)].map(([, heading = '']) => toAnchor(heading)));

const documents = texts.filter(({ path }) => isDocument(path));
/** The relative links of documents: the file, from the root of the project, and the heading. */
const links = documents.flatMap(({ path, text }) =>
  [...text.matchAll(/\]\((?!https?:)([^)#\s]*)(?:#([^)\s]*))?\)/g)].map(([, target = '', anchor]) => ({
    ...{ path, anchor, linked: target === '' ? path : join(dirname(path), target) },
  })),
);

describe('everything cited exists', () => {
  it('rules of the API', () => {
    expect(rules.size).toBeGreaterThan(0);
    expect(findUnknown(/\b(D\d{1,2})\b(?!:)/g, rules)).toEqual([]);
  });

  it('decisions, by their number', () => {
    expect(decisions.size).toBeGreaterThan(0);
    expect(findUnknown(/decisions\.md\)?(?:,?\s+)(\d+(?:(?:,|\s+and)\s+\d+)*)/g, decisions)).toEqual([]);
    const tables = texts.filter(({ path }) => ['SECURITY.md', 'docs/decisions.md'].includes(path));
    expect(findUnknown(/[a-z`]\s\((\d{1,3}(?:,\s\d{1,3})*)\)/g, decisions, tables)).toEqual([]);
  });

  it('files and headings that documents link to', () => {
    const broken = links.filter(({ linked, anchor }) => {
      if (!existsSync(join(projectRoot, linked))) return true;
      return anchor !== undefined && !anchorsOf(linked).has(anchor);
    });
    expect(broken).toEqual([]);
  });

  it('documents, each by another', () => {
    const linked = new Set(links.filter(({ path, linked: other }) => other !== path).map(({ linked: other }) => other));
    // The README, and what the service shows as a page.
    const first = ['README.md', 'src/http/endpoints/reference/guides.md'];
    const others = documents.map(({ path }) => path).filter((path) => !first.includes(path) && !/^\.github/.test(path));
    expect(others.filter((path) => !linked.has(path))).toEqual([]);
  });

  it('files that comments and documents name', () => {
    // Excludes data files, whose names are mostly examples.
    const pattern = /(?<![\w./*{$-])((?:[\w-]+\/)*[\w.-]+\.(?:ts|md|sql|mjs|cjs))\b(?![(*/"$]|\.\w)/g;
    const isThere = (path: string, named: string): boolean =>
      existsSync(join(projectRoot, named)) ||
      existsSync(join(projectRoot, dirname(path), named)) ||
      (named.includes('/') ? files.some((file) => file.endsWith(`/${named}`)) : names.has(named));
    const isMadeByReader = (text: string, named: string): boolean => text.includes(`Save this as \`${named}\``);
    const missing = texts
      .filter(({ path }) => !isHistory(path))
      .flatMap(({ path, text }) =>
        proseOf({ path, text }).flatMap((prose) =>
          [...prose.matchAll(pattern)].flatMap(([, named = '']) =>
            isThere(path, named) || isMadeByReader(text, named) ? [] : [`${path}: ${named}`],
          ),
        ),
      );
    expect([...new Set(missing)]).toEqual([]);
  });
});
