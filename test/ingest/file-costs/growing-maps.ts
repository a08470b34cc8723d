import { fill, filesOf, join, numbered, shapes, type GrowingFile, type Part } from './growing-files';

const map = (name: string, parts: (size: number) => readonly Part[]): GrowingFile => ({
  name: `map: ${name}`,
  make: (size) => join('product:\n  external_id: Id\n  title: Name\n', ...parts(size)),
});

/** Files of `--map`. */
export const mapShapes: readonly GrowingFile[] = [
  ...filesOf(shapes.maps),
  map('aliases of aliases', (size) => [
    'a0: &a0 [x,x]\n',
    numbered(size, (index) => `a${index + 1}: &a${index + 1} [*a${index},*a${index},*a${index}]\n`),
  ]),
  map('depth', (size) => [numbered(size, (index) => `${' '.repeat(Math.min(index, 190))}a:\n`)]),
];

const table = (name: string, parts: (size: number) => readonly Part[]): GrowingFile => ({
  name: `table: ${name}`,
  make: (size) => join(...parts(size)),
});

const names = Array.from({ length: 16_000 }, (_, index) => `${index} Price`);

/** Tables for which a map is suggested. */
export const tableShapes: readonly GrowingFile[] = [
  ...filesOf(shapes.tables),
  table('columns of one meaning', (size) => [names.join(), '\n', fill(size, names.map(() => 'x').join() + '\n')]),
  table('columns that are options', (size) => ['Name,Price', numbered(size, (index) => `,Size${'!'.repeat(1 + index)}`).subarray(0, size), '\nA,1\n']),
  table('spellings of a status', (size) => ['Name,Price,Status\n', numbered(size, (index) => `A,1,active${'!'.repeat(index % 1000)}\n`)]),
  table('currencies', (size) => ['Name,Price,Currency\n', numbered(size, (index) => `A,1,${[26 * 26, 26, 1].map((by) => String.fromCharCode(65 + (Math.floor(index / by) % 26))).join('')}\n`)]),
  table('rows below each other', (size) => ['Id,Name,Price,Size\n', numbered(size, (index) => `${Math.floor(index / 3)},${index % 3 === 0 ? 'A' : ''},1,S\n`)]),
  table('dates', (size) => ['Id,Name,Price,Created\n', numbered(size, (index) => `${index},A,1,0${1 + (index % 9)}/0${1 + (index % 7)}/2025\n`)]),
]; // prettier-ignore
