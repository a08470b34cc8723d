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

const table = (name: string, parts: (size: number, unit: string) => readonly Part[]): GrowingFile => ({
  name: `table: ${name}`,
  make: (size, unit) => join(...parts(size, unit)),
});

const names = Array.from({ length: 16_000 }, (_, index) => `${index} Price`);

/** Tables for which a map is suggested. */
export const tableShapes: readonly GrowingFile[] = [
  table('columns of one meaning', (size) => [names.join(), '\n', fill(size, names.map(() => 'x').join() + '\n')]),
  table('columns that are options', (size) => ['Name,Price', numbered(size, (index) => `,Size${'!'.repeat(1 + index)}`).subarray(0, size), '\nA,1\n']),
  table('spellings of a status', (size) => ['Name,Price,Status\n', numbered(size, (index) => `A,1,active${'!'.repeat(index % 1000)}\n`)]),
  table('a long status', (size) => ['Name,Price,Status\nA,1,active', fill(size, '!'), '\n']),
  table('currencies', (size) => ['Name,Price,Currency\n', numbered(size, (index) => `A,1,${[26 * 26, 26, 1].map((by) => String.fromCharCode(65 + (Math.floor(index / by) % 26))).join('')}\n`)]),
  table('the name of a column', (size, unit) => ['Name,Price,"', fill(size, unit), ' Brand"\nA,1,B\n']),
  table('names of columns', (size, unit) => ['Name,Price', numbered(size, (index) => `,"${unit.repeat(100)} ${index} Brand"`), '\nA,1\n']),
  table('a price', (size) => ['Name,Price\nA,"', fill(size, '1 '), '"\n']),
  table('a unit', (size, unit) => ['Name,Price\nA,"1', fill(size, unit), '"\n']),
  table('rows below each other', (size) => ['Id,Name,Price,Size\n', numbered(size, (index) => `${Math.floor(index / 3)},${index % 3 === 0 ? 'A' : ''},1,S\n`)]),
  table('dates', (size) => ['Id,Name,Price,Created\n', numbered(size, (index) => `${index},A,1,0${1 + (index % 9)}/0${1 + (index % 7)}/2025\n`)]),
  table('a date', (size) => ['Id,Name,Price,Created\n1,A,1,', fill(size, '01/'), '\n']),
  table('parts of an address', (size) => ['Id,Name,Price,Note\n1,A,1,"', fill(size, 'a at b dot '), '"\n']),
  table('orders', (size) => ['Order number,Customer,Total,Quantity,Date\n', numbered(size, (index) => `${index},Ann,1.00,1,2026-01-01\n`)]),
]; // prettier-ignore
