import { execFileSync } from 'node:child_process';
import { join } from 'node:path';

describe('the generated types', () => {
  it('are what schema.graphql and the documents of the REST operations say', () => {
    const root = join(__dirname, '../..');
    const check = () =>
      execFileSync(process.execPath, [join(root, 'scripts/codegen.mjs'), '--check'], { cwd: root, encoding: 'utf8' });
    expect(check).not.toThrow();
  });
});
