import { FirstLines, maxObjectsOfCsv } from '../../src/ingest/formats/first-lines';
import { SourceLocation } from '../../src/ingest/values/import-error';

const note = (lines: FirstLines, name: string, line: number) => lines.note(name, new SourceLocation('file', line));

it('reports where an object began before, however long its name is', () => {
  const lines = new FirstLines();
  for (const name of ['a', 'b'.repeat(33), 'b'.repeat(2000)]) {
    expect(note(lines, name, name.length)).toBeUndefined();
    expect(note(lines, name, 9)).toBe(name.length);
  }
});

it('rejects more objects than it can remember', () => {
  const lines = new FirstLines();
  for (let line = 0; line < maxObjectsOfCsv; line += 1) note(lines, `${line}`, line);
  expect(() => note(lines, 'one more', 7)).toThrow(
    'file, line 7: expected at most 1000000 objects per file; split the file and import all parts together',
  );
  expect(note(lines, '3', 8)).toBe(3);
});
