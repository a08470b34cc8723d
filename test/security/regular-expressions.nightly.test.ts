import { readdirSync, readFileSync } from 'node:fs';
import { join, relative } from 'node:path';
import { createContext, Script } from 'node:vm';
import ts from 'typescript';
import { fc } from '../support/properties';

const root = join(__dirname, '../..');

interface Found {
  readonly where: string;
  readonly source: string;
  readonly flags: string;
}

const sources = ['src', 'rest'].flatMap((folder) =>
  readdirSync(join(root, folder), { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile() && entry.name.endsWith('.ts') && !entry.parentPath.includes('generated'))
    .map((entry) => join(entry.parentPath, entry.name)),
);

function findRegularExpressions(file: string): Found[] {
  const found: Found[] = [];
  const tree = ts.createSourceFile(file, readFileSync(file, 'utf8'), ts.ScriptTarget.Latest, true);
  const visit = (node: ts.Node): void => {
    if (ts.isRegularExpressionLiteral(node)) {
      const end = node.text.lastIndexOf('/');
      const { line } = tree.getLineAndCharacterOfPosition(node.getStart());
      found.push({
        where: `${relative(root, file)}:${line + 1}`,
        source: node.text.slice(1, end),
        flags: node.text.slice(end + 1),
      });
    }
    node.forEachChild(visit);
  };
  visit(tree);
  return found;
}

/** Long enough that an expression that compares every pair of characters does not finish. */
const length = 100_000;

/** Texts that match or nearly match, with a part repeated, which is where an expression can backtrack. */
function createAttacks({ source, flags }: Found): string[] {
  // The generator does not support look-arounds; what is around them is repeated all the same.
  const plain = source.replaceAll(/\(\?<?[=!](?:[^()]|\([^()]*\))*\)/g, '').replaceAll('\\b', '');
  const pattern = new RegExp(plain, flags.replaceAll(/[giy]/g, ''));
  const samples = fc.sample(fc.stringMatching(pattern, { size: 'small' }), { numRuns: 5, seed: 5 });
  return samples.flatMap((sample) =>
    [0, 1, 2, 3, 4, 5].flatMap((step) => {
      const start = Math.floor((sample.length * step) / 6);
      const pieces = [sample.slice(start, start + 1), sample.slice(start, start + 9)];
      // A word boundary lets a match begin in the middle of a run.
      if (source.includes('\\b')) pieces.push(`${sample.slice(start, start + 9)}-`);
      return pieces.flatMap((piece) => {
        if (piece === '') return [];
        const pumped = sample.slice(0, start) + piece.repeat(length / piece.length);
        return [`${pumped}\u0001`, pumped + sample.slice(start + piece.length)];
      });
    }),
  );
}

/** Whether the expression finishes on all texts. Otherwise node's watchdog ends it. */
function isDone({ source, flags }: Found, texts: readonly string[], timeout: number): boolean {
  const script = new Script(`for (const text of texts) text.replace(new RegExp(source, flags), '');`);
  try {
    script.runInContext(createContext({ source, flags, texts }), { timeout });
    return true;
  } catch (error) {
    if ((error as { code?: unknown }).code === 'ERR_SCRIPT_EXECUTION_TIMEOUT') return false;
    throw error;
  }
}

const all = sources.flatMap(findRegularExpressions);
// Without a repetition, nothing can backtrack.
const repeating = all.filter(({ source }) => /[*+]|\{\d/.test(source));

describe('regular expressions take time in proportion to their text, whatever it is', () => {
  it.each(repeating.map((found) => [`${found.where} /${found.source}/${found.flags}`, found] as const))(
    '%s',
    (_, found) => {
      expect(isDone(found, createAttacks(found), 10_000)).toBe(true);
    },
  );

  it.each(['(a+)+$', 'a+b'])('and this test notices one that does not: /%s/', (source) => {
    const found = { where: '', source, flags: '' };
    expect(isDone(found, createAttacks(found), 500)).toBe(false);
  });

  it('knows all of them: none is built from what clients send', () => {
    const built = sources.filter((file) => /new RegExp\(/.test(readFileSync(file, 'utf8')));
    expect(built.map((file) => relative(root, file)).sort()).toEqual([
      'src/auth/api-key.ts',
      'src/catalog/export/csv-table.ts',
      'src/catalog/product/search-words.ts', // Of constants that SQL has, too.
      'src/database/embedded/cluster.ts',
      'src/http/routes.ts',
      'src/ingest/values/json-line.ts',
      'src/privacy/addresses.ts', // test/privacy/expensive-texts.test.ts tries these.
    ]);
    expect(all.length).toBeGreaterThan(50);
  });
});
