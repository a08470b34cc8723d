import { execFileSync } from 'node:child_process';
import { join } from 'node:path';

it('the picture in src/README.md matches the imports', () => {
  const cwd = join(__dirname, '../..');
  expect(() =>
    execFileSync(process.execPath, ['docs/architecture.mjs', '--check'], { cwd, stdio: 'pipe' }),
  ).not.toThrow();
});
