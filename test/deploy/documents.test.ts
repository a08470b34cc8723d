import { existsSync, readFileSync, readdirSync } from 'node:fs';
import { dirname, join } from 'node:path';

const root = join(__dirname, '../..');
const read = (path: string): string => readFileSync(join(root, path), 'utf8');
const documents = ['SECURITY.md', 'docs/federation.md', 'docs/operations.md', 'docs/scaling.md'];

describe.each(documents)('%s', (document) => {
  it('links to files that exist', () => {
    const targets = [...read(document).matchAll(/\]\(([^)#:]+)\)/g)].map(([, target = '']) => target);
    expect(targets.length).toBeGreaterThan(0);
    expect(targets.filter((target) => !existsSync(join(root, dirname(document), target)))).toEqual([]);
  });

  it('names tests that exist, in the files that have them', () => {
    const named = [...read(document).matchAll(/`((?:test|src|docs|bench)\/[^`\s]+)`(?:: ((?:"[^"]+"(?: and )?)+))?/g)];
    expect(named.length).toBeGreaterThan(0);
    const wrong = named.flatMap(([, path = '', titles = '']) => {
      if (!existsSync(join(root, path))) return [path];
      return [...titles.matchAll(/"([^"]+)"/g)].flatMap(([, title = '']) =>
        read(path).includes(title) ? [] : [`${path}: ${title}`],
      );
    });
    expect(wrong).toEqual([]);
  });
});

describe('docs/deploy', () => {
  it('is reached from the documents: every file is named in one', () => {
    const text = documents.map(read).join('\n');
    const files = readdirSync(join(root, 'docs/deploy'), { withFileTypes: true }).map(({ name }) => name);
    expect(files.filter((name) => !text.includes(`deploy/${name}`))).toEqual([]);
  });
});
