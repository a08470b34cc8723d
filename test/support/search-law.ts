/* A reference implementation of `search` (D28), without SQL and without the service's own code. */

export type SearchedTexts = readonly [title: string, handle: string, vendor: string, skusAndTags: string];

const spellings: Readonly<Record<string, string>> = { ß: 'ss', æ: 'ae', ø: 'o', ł: 'l', ς: 'σ' };
export const wordsOf = (text: string): string[] =>
  text
    .normalize('NFKD')
    .replaceAll(/[\u0300-\u036f]/g, '')
    .toLowerCase()
    .normalize('NFC')
    .replaceAll(/[ßæøłς]/g, (letter) => spellings[letter] as string)
    .replaceAll(/\p{Script=Han}|\p{Script=Katakana}/gu, ' $& ')
    .split(/[^\p{L}\p{N}😀]+/u)
    .filter(Boolean);

/** The words and each two neighbors. */
const withPairs = (words: readonly string[]): readonly string[] => [
  ...words,
  ...words.slice(1).map((word, at) => `${words[at]}${word}`),
];
const isOne = (word: string) => Array.from(word).length === 1;

/** 0 is the best; undefined if the product does not match. */
export function rankOf(texts: SearchedTexts, search: string): number | undefined {
  const words = wordsOf(search);
  const [title, handle, vendor, others] = texts.map(wordsOf) as [string[], string[], string[], string[]];
  const meets = (found: readonly string[], isWhole: boolean) =>
    words.every((word, at) => {
      const [before, after] = [words[at - 1], words[at + 1]];
      const spelled = [word, ...(before === undefined ? [] : [before + word])];
      if (isOne(word) && after !== undefined) spelled.push(word + after);
      return spelled.some((each) => found.some((it) => (isWhole || isOne(each) ? it === each : it.startsWith(each))));
    });
  const tried = [
    meets(withPairs(title), true),
    meets(withPairs(title), false),
    meets([title, handle].flatMap(withPairs), false),
    meets([...[title, handle, vendor].flatMap(withPairs), ...others], false),
  ];
  return tried.includes(true) ? tried.indexOf(true) : undefined;
}
