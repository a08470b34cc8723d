import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

const root = join(__dirname, '../..');
const rows = readFileSync(join(root, 'SECURITY.md'), 'utf8')
  .split('\n')
  .filter((line) => line.startsWith('|'))
  .slice(2)
  .map((line) => line.split('|').map((cell) => cell.trim()))
  .map(([, threat = '', guard = '', tests = '']) => ({ threat, guard, tests }));

/** `file`: "a name in it" and "another one". */
const readCitations = (cell: string): { file: string; names: string[] }[] =>
  cell.split(';').map((citation) => ({
    file: /`(test\/[^`]+)`/.exec(citation)?.[1] ?? citation,
    names: [...citation.matchAll(/"([^"]+)"/g)].map(([, name = '']) => name),
  }));

describe('SECURITY.md', () => {
  it.each(rows.map((row) => [row.threat, row] as const))('names tests that exist: %s', (_, { guard, tests }) => {
    expect(guard).not.toBe('');
    for (const { file, names } of readCitations(tests)) {
      expect({ file, exists: existsSync(join(root, file)), cites: names.length > 0 }).toEqual({
        file,
        exists: true,
        cites: true,
      });
      const text = readFileSync(join(root, file), 'utf8');
      expect(names.filter((name) => !text.includes(name))).toEqual([]);
    }
  });

  it.each([
    'headers, framing',
    'Bodies, headers and URLs',
    'Slow clients',
    'Malformed HTTP',
    'Prototype pollution',
    'Regular expressions',
    'Forged tokens',
    'Brute force',
    'learning which ids exist',
    'Dependencies',
  ])('has a row for: %s', (threat) => {
    expect(rows.filter((row) => row.threat.includes(threat))).not.toEqual([]);
  });
});
