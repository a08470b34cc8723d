// Syntax highlighting for pages rendered by the server and for responses shown by scripts. Used by both, so it neither
// imports nor exports.
(function (share) {
  const string = String.raw`"(?:\\.|[^"\\\n])*"`;
  const number = String.raw`-?\b\d+(?:\.\d+)?(?:[eE][+-]?\d+)?\b`;
  const words = (list) => `(?<![\\w./?&-])(?:${list.split(' ').join('|')})\\b(?![./-])`;
  const values = 'true false null True False None undefined';

  /**
   * In order of precedence: class and pattern. `w` keywords, `k` names, `s` strings, `n` values, `c` comments, `p`
   * punctuation. The languages of our examples are similar enough for one list.
   */
  const code = [
    ['c', '(?<!\\S)(?:#|//)[^\\n]*|/\\*[\\s\\S]*?\\*/'],
    ['s', `"""[\\s\\S]*?"""|${string}|'(?:\\\\.|[^'\\\\\\n])*'|\`(?:\\\\.|[^\`\\\\])*\``],
    ['w', `<\\?php|(?<=(?:^|\\n|\\||\\() {0,8})(?:curl|node|npm|npx|jq|catalog|sed|grep|psql|git|cat)\\b|${words('import from export const let function def async await for foreach of in if else return new throw while try catch class yield as with echo')}`],
    ['w', `${words('query mutation fragment on type input enum interface union')}(?=\\s+\\w[^\\n={}]*\\{|\\s*\\{)`],
    ['k', '(?<=\\s)--?[A-Za-z][\\w-]*|[$@]\\{?\\w+|\\b\\w+(?=\\s*[(=]|:\\s)'],
    ['n', `(?<![:./])${number}|${words(values)}|\\b[A-Z][A-Z_]+\\b`],
    ['p', '[{}()\\[\\],:;|=!&<>\\\\]+'],
  ]; // prettier-ignore
  const json = [['k', `${string}(?=\\s*:)`], ['s', string], ['n', `${number}|${words(values)}`], ['p', '[{}\\[\\],:]+']]; // prettier-ignore

  const compile = (kinds) => ({
    kinds: kinds.map(([kind]) => kind),
    pattern: new RegExp(kinds.map(([, part]) => `(${part})`).join('|'), 'g'),
  });
  const rules = { json: compile(json), code: compile(code) };

  /** Parts of a text, each with its class or undefined. Without a language, nothing has a class. */
  function tokens(text, language) {
    if (language === '') return [[undefined, text]];
    const { kinds, pattern } = rules[language] ?? rules.code;
    const parts = [];
    let end = 0;
    for (const match of text.matchAll(pattern)) {
      if (match.index > end) parts.push([undefined, text.slice(end, match.index)]);
      parts.push([kinds[match.slice(1).findIndex((group) => group !== undefined)], match[0]]);
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
