import type { Sql } from '../../database/sql';
import { sql } from '../../database/sql';
import {
  accents,
  ideographs,
  termMark,
  wordSections,
  wordSeparators,
  wordTermLengths,
} from '../../database/sql-constants';
import { ApiError } from '../../errors/api-error';

const mostWords = 16;

/** Letters without a separable accent, as `catalog_plain_words` spells them. */
const spellings: Readonly<Record<string, string>> = {
  ...{ ø: 'o', ł: 'l', đ: 'd', ħ: 'h', ŧ: 't', ı: 'i', ð: 'd', ß: 'ss', æ: 'ae', œ: 'oe', þ: 'th' },
};

/** The words of a text, as `catalog_search_words` finds them in a product, which also folds their case. */
export const toWords = (text: string): string[] =>
  text
    .normalize('NFKD')
    .replaceAll(new RegExp(accents, 'gu'), '')
    .normalize('NFKC')
    .replaceAll(/[øłđħŧıðßẞæœþ]/giu, (letter) => spellings[letter.toLowerCase()] as string)
    .replaceAll(new RegExp(ideographs, 'gu'), ' $& ')
    .split(new RegExp(`(?:${wordSeparators}|[\\0\\uffff])+`, 'u'))
    .filter((word) => word !== '');

/** How well a product matches a search: which sections its words may be in, and whether they must be whole. */
interface Rank {
  readonly sections: readonly string[];
  readonly isWhole: boolean;
}

const [title, handle] = wordSections;

/** Best first; each rank includes the products of those before it. */
const ranks: readonly Rank[] = [
  { sections: [title], isWhole: true },
  { sections: [title], isWhole: false },
  { sections: [title, handle], isWhole: false },
  { sections: wordSections, isWhole: false },
];

/** The products of a rank, as conditions and as terms of candidates. */
export interface RankedSearch {
  readonly where: readonly Sql[];
  /** For each word, the spellings that a product may have; for each spelling, its terms without their mark. */
  readonly terms: readonly (readonly WordTerm[])[];
}

export interface WordTerm {
  readonly text: string;
  readonly isPrefix: boolean;
}

/**
 * The ranks of a search, best first. Each word must begin a word of the product, alone or joined to the word before it,
 * so that "tea pot" finds a teapot; a single character must be a whole word (D28).
 * @throws ApiError BAD_USER_INPUT
 */
export function toRankedSearch(search: string): readonly RankedSearch[] {
  const words = toWords(search);
  if (words.length === 0) throw new ApiError('BAD_USER_INPUT', 'search: expected at least one word.');
  if (words.length > mostWords) {
    throw new ApiError('BAD_USER_INPUT', `search: expected at most ${mostWords} words, got ${words.length}.`);
  }
  const spelled = words.map((word, at) => [
    word,
    ...(at > 0 ? [`${words[at - 1]}${word}`] : []),
    ...(isSingle(word) && at < words.length - 1 ? [`${word}${words[at + 1]}`] : []),
  ]);
  const longest = words.toSorted((one, other) => other.length - one.length)[0];
  return ranks.map((rank) => ({
    where: spelled.map(
      (each) => sql`item.search_words LIKE ANY (ARRAY(
        SELECT catalog_fold(pattern) FROM unnest(${each.flatMap((word) => toPatterns(word, rank))}::text[]) AS p (pattern)))`,
    ),
    terms: spelled.map((each) => each.flatMap((word, at) => toTerms(word, rank, at > 0 || word === longest))),
  }));
}

/** As a prefix it would find every other product. */
const isSingle = (word: string): boolean => Array.from(word).length === 1;

const toPatterns = (word: string, { sections, isWhole }: Rank): string[] =>
  (sections === wordSections ? [''] : sections).map(
    (section) => `%${section} ${word}${isWhole || isSingle(word) ? termMark : ''}%`,
  );

/**
 * The terms of a word: its first characters, or the exact word if it must be whole or is a single character. Only the
 * longest word and joined words are looked up as prefixes, however many words they begin: exact terms are intersected
 * without reading all of their rows, and the rows found are rechecked.
 */
function toTerms(word: string, { sections, isWhole }: Rank, isLong: boolean): WordTerm[] {
  const [, short, long] = wordTermLengths;
  const isExact = isWhole || isSingle(word);
  const letters = Array.from(isExact ? `${word} ` : word).slice(0, isExact || isLong ? long : short);
  return sections.map((section) => ({
    text: `${section} ${letters.join('')}`,
    isPrefix: !isExact && letters.length > short,
  }));
}
