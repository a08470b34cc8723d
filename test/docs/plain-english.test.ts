import { isHistory, proseOf, read, texts, titlesOf } from './prose';

/** Odd words of the glossary in docs/plain-english.md that have no other, ordinary use. */
const oddWords: readonly (readonly [odd: RegExp, standard: string])[] = [
  [/whoever/, 'any writer, the caller, the client'],
  [/(?<!["`])\bnobody/, 'no one, without, disconnected'],
  [/who (?:asks|calls|writes|waits)/, 'the caller, the client'],
  [/(?:is|are|was|were|be|being|until) told|told of/, 'is notified of, reports'],
  [/hears? of/, 'is notified of, receives'],
  [/under way/, 'in progress, in flight'],
  [/by (?:itself|themselves)/, 'automatically, on its own'],
  [/by hand/, 'manually'],
  [/st(?:ands?|ood) (?:in|at|on|there|behind|before|beside|still)/, 'is in, applies to, exists'],
  [/lets? go|let go/, 'closes, releases'],
  [/hand(?:s|ed)? (?:out|over|on)/, 'returns, passes'],
  [/is to go/, 'is removed, is deprecated'],
  [/finished (?:answer|bod|node)\w*/, 'complete response, column-only selection'],
  [/(?:is|are|was|were|be|being) away/, 'is unavailable'],
  [/heals?|healed|puts? right/, 'corrects, repairs'],
  [/noise(?!-)/, 'malformed credentials'],
  [/without end|beyond number/, 'unbounded'],
  [/dear(?:er)?|dies young/, 'expensive, stays in the young generation'],
  [/looks? (?:at|into)|looked (?:at|into)/, 'inspects, parses, checks'],
  [/what is left/, 'the remainder'],
  [/one after the other/, 'sequentially'],
  [/in turn/, 'round robin, sequentially'],
  [/everybody|altogether/, 'all, in total'],
  [/asker/, 'cancellation signal'],
  [/(?:goes|go|went|going) on/, 'continues'],
  [/threes/, 'trigrams'],
];

/** Texts that quote an odd word, or mean it literally. */
const exceptions: readonly RegExp[] = [
  /^docs\/plain-english\.md: /,
  // Words of a corpus, and the form of a reason for deprecation.
  /look at the dot/,
  /Goes on 2027/,
];

it.each(oddWords)('%s is not written: %s', (odd) => {
  const pattern = new RegExp(`\\b(?:${odd.source})\\b.{0,30}`, 'gi');
  const found = texts
    .filter(({ path }) => !isHistory(path))
    .flatMap((text) =>
      [...proseOf(text), ...titlesOf(text)].flatMap((prose) =>
        [...prose.matchAll(pattern)].map(([match]) => `${text.path}: ${match}`),
      ),
    )
    .filter((match) => !exceptions.some((exception) => exception.test(match)));
  expect(found).toEqual([]);
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

describe('each of the decisions', () => {
  const decisions = read('docs/decisions.md')
    .split(/^(?=## \d+\. )/m)
    .slice(1);

  it.each(decisions.map((text) => [text.split('\n', 1)[0] ?? '', text] as const))(
    '%s: is short, and says what was rejected',
    (_, text) => {
      const [, , ...lines] = text.trimEnd().split('\n');
      expect(lines.length).toBeLessThanOrEqual(12);
      expect(text).toMatch(/^\*\*Rejected\.\*\* /m);
    },
  );
});
