// Syntax highlighting for pages rendered by the server and for responses shown by scripts. Used by both, so it neither
// imports nor exports.
(function (share) {
  const string = String.raw`"(?:\\.|[^"\\\n])*"`;
  const single = String.raw`'(?:\\.|[^'\\\n])*'`;
  const number = String.raw`-?\b\d+(?:\.\d+)?(?:[eE][+-]?\d+)?\b`;
  const sign = '[{}()\\[\\],:;|=!&<>]+';
  const words = (list) => `\\b(?:${list.split(' ').join('|')})\\b`;

  /**
   * By language, in order of precedence: class and pattern. `w` keywords, `k` names, `s` strings, `n` values, `c`
   * comments, `p` punctuation.
   */
  const rules = {
    json: [['k', `${string}(?=\\s*:)`], ['s', string], ['n', `${number}|${words('true false null')}`], ['p', '[{}\\[\\],:]+']],
    graphql: [
      ['c', '#[^\\n]*'],
      ['s', `"""[\\s\\S]*?"""|${string}`],
      ['w', words('query mutation fragment on type input enum scalar interface union directive schema extend implements')],
      ['k', '[$@]\\w+|\\b\\w+(?=\\s*[(:])'],
      ['n', `${number}|${words('true false null')}|\\b[A-Z][A-Z_]+\\b`],
      ['p', sign],
    ],
    sh: [
      ['c', '(?<=^|\\s)#[^\\n]*'],
      ['s', `${string}|${single}`],
      ['w', '(?<=(?:^|\\n|\\||\\() {0,8})(?:curl|node|npm|npx|jq|catalog|sed|grep|psql|export|git|cat)\\b'],
      ['k', '(?<=\\s)--?[A-Za-z][\\w-]*|\\$\\{?\\w+'],
      ['p', '[\\\\|<>;]+'],
    ],
    js: [
      ['c', '//[^\\n]*|/\\*[\\s\\S]*?\\*/'],
      ['s', `${string}|${single}|\`(?:\\\\.|[^\`\\\\])*\``],
      ['w', words('import from export const let function async await for of if else return new throw while try catch class yield continue null true false undefined')],
      ['n', number],
      ['k', '\\b\\w+(?=\\s*[(:])'],
      ['p', sign],
    ],
    python: [
      ['c', '#[^\\n]*'],
      ['s', `f?${string}|f?${single}`],
      ['w', words('import from def for in if else return with as None True False while')],
      ['n', number],
      ['k', '\\b\\w+(?=\\s*[(=])'],
      ['p', sign],
    ],
    php: [
      ['c', '//[^\\n]*'],
      ['s', `${string}|${single}`],
      ['w', `<\\?php|${words('echo return function foreach as new null true false')}`],
      ['k', '\\$\\w+|\\b\\w+(?=\\()'],
      ['n', number],
      ['p', sign],
    ],
  }; // prettier-ignore
  rules.ts = rules.js;

  const compiled = new Map();
  const patternOf = (language) => {
    const found = compiled.get(language);
    if (found) return found;
    const kinds = rules[language];
    if (kinds === undefined) return undefined;
    const made = { kinds: kinds.map(([kind]) => kind), pattern: new RegExp(kinds.map(([, part]) => `(${part})`).join('|'), 'g') };
    compiled.set(language, made);
    return made;
  }; // prettier-ignore

  /** Parts of a text, each with its class or undefined. */
  function tokens(text, language) {
    const made = patternOf(language);
    if (made === undefined) return [[undefined, text]];
    const parts = [];
    let end = 0;
    for (const match of text.matchAll(made.pattern)) {
      if (match[0] === '') continue;
      if (match.index > end) parts.push([undefined, text.slice(end, match.index)]);
      parts.push([made.kinds[match.slice(1).findIndex((group) => group !== undefined)], match[0]]);
      end = match.index + match[0].length;
    }
    if (end < text.length) parts.push([undefined, text.slice(end)]);
    return parts;
  }

  /** JSON for people: a list of short values stays on one line. */
  const print = (value) =>
    (JSON.stringify(value, null, 2) ?? '').replace(/\[\n\s+((?:(?:"(?:\\.|[^"\\])*"|[\w.-]+),?\s+)+)\]/g, (whole, items) => {
      const line = `[${items.trim().replace(/\n\s+/g, ' ')}]`;
      return line.length > 72 ? whole : line;
    }); // prettier-ignore

  share({ tokens, print });
})((made) => {
  if (typeof module === 'object') module.exports = made;
  else globalThis.highlight = made;
});
