import { readFileSync } from 'node:fs';
import { join } from 'node:path';

/** The table of SECURITY.md. test/docs/citations.test.ts checks that the tests it names exist. */
const rows = readFileSync(join(__dirname, '../../SECURITY.md'), 'utf8')
  .replace(/^## Attacks under load$[^]*/m, '')
  .split('\n')
  .filter((line) => line.startsWith('|'))
  .slice(2)
  .map((line) => line.split('|').map((cell) => cell.trim()))
  .map(([, threat = '', guard = '', tests = '']) => ({ threat, guard, tests }));

describe('SECURITY.md', () => {
  it.each(rows)('names a guard and a test file for: $threat', ({ guard, tests }) => {
    expect(guard).not.toBe('');
    expect(tests).toMatch(/^`test\/[^`]+\.test\.ts`$/);
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
    'probing for existing IDs',
    'Dependencies',
  ])('has a row for: %s', (threat) => {
    expect(rows.filter((row) => row.threat.includes(threat))).toHaveLength(threat === 'Prototype pollution' ? 2 : 1);
  });
});
