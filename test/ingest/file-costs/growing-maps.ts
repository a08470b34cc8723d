import { fill, join, numbered, type GrowingFile, type Part } from './growing-files';

const mapHeader = 'product:\n  external_id: Id\n  title: Name\n';

const map = (name: string, parts: (size: number, unit: string) => readonly Part[]): GrowingFile => ({
  name: `map: ${name}`,
  make: (size, unit) => join(...parts(size, unit)),
});

/** Files of `--map`. */
export const mapShapes: readonly GrowingFile[] = [
  map('aliases', (size) => [mapHeader, 'a: &a [x,x]\nb: [', fill(size, '*a,'), '*a]\n']),
  map('aliases of aliases', (size) => [mapHeader, 'a0: &a0 [x,x]\n', numbered(size, (index) => `a${index + 1}: &a${index + 1} [*a${index},*a${index},*a${index}]\n`)]),
  map('brackets', (size) => [mapHeader, 'x: ', fill(size, '[')]),
  map('braces', (size) => [mapHeader, 'x: ', fill(size, '{a: ')]),
  map('depth', (size) => [mapHeader, numbered(size, (index) => `${' '.repeat(Math.min(index, 190))}a:\n`)]),
  map('lists in a line', (size) => [mapHeader, 'x:\n', fill(size, '- ')]),
  map('lists in lines', (size) => [mapHeader, 'x:\n', fill(size, `${'- '.repeat(150)}a\n`)]),
  map('keys', (size) => [mapHeader, numbered(size, (index) => `k${index}: a\n`)]),
  map('short keys of one table', (size) => [mapHeader, 'x: {', numbered(size, (index) => `${index.toString(36)},`), '}']),
  map('one key', (size) => [mapHeader, fill(size, 'a: a\n')]),
  map('a text', (size, unit) => [mapHeader, 'x: "', fill(size, unit), '"\n']),
  map('lines of a text', (size) => [mapHeader, 'x: "', fill(size, '\n\n'), '"\n']),
  map('a plain text', (size) => [mapHeader, 'x: ', fill(size, 'a '), '\n']),
  map('lines of a plain text', (size) => [mapHeader, 'x:\n', fill(size, '  a\n')]),
  map('a block', (size) => [mapHeader, 'x: |\n', fill(size, '  a\n')]),
  map('a folded block', (size) => [mapHeader, 'x: >\n', fill(size, '  a\n\n')]),
  map('blanks', (size) => [mapHeader, fill(size, ' ')]),
  map('blank lines', (size) => [mapHeader, fill(size, '\n')]),
  map('tabs', (size) => [mapHeader, fill(size, '\t')]),
  map('comments', (size) => [mapHeader, fill(size, '#\n')]),
  map('a comment', (size) => [mapHeader, '# ', fill(size, '# ')]),
  map('documents', (size) => [mapHeader, fill(size, '---\n')]),
  map('ends of documents', (size) => [mapHeader, fill(size, '...\n')]),
  map('directives', (size) => [fill(size, '%TAG ! x\n'), '---\n', mapHeader]),
  map('tags', (size) => [mapHeader, fill(size, '- !a b\n')]),
  map('anchors', (size) => [mapHeader, numbered(size, (index) => `k${index}: &a${index} b\n`)]),
  map('questions', (size) => [mapHeader, fill(size, '? ')]),
  map('question marks on lines', (size) => [mapHeader, fill(size, '? a\n')]),
  map('colons', (size) => [mapHeader, fill(size, ': ')]),
  map('commas', (size) => [mapHeader, 'x: [', fill(size, ','), ']']),
  map('quotes', (size) => [mapHeader, 'x: ', fill(size, "'")]),
  map('escapes', (size) => [mapHeader, 'x: "', fill(size, '\\x41'), '"']),
  map('errors', (size) => [mapHeader, fill(size, '@ `\n')]),
  map('words', (size) => [mapHeader, '  status: { column: S, words: {', numbered(size, (index) => `w${index}: ACTIVE,`), '} }\n']),
  map('names of a column', (size) => [mapHeader, '  vendor: [', numbered(size, (index) => `w${index},`), 'x]\n']),
]; // prettier-ignore
