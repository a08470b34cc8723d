import { spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';

const root = join(__dirname, '../..');
const { engines } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')) as { engines: { node: string } };

const run = (version: string) =>
  spawnSync(
    process.execPath,
    [
      '-e',
      `Object.defineProperty(process, 'versions', { value: { node: '${version}' } }); require('./src/require-node.cjs')`,
    ],
    { cwd: root, encoding: 'utf8' },
  );

describe('a Node that is too old', () => {
  it.each(['10.24.1', '18.20.8', '20.18.3', '21.7.3', '22.11.0', '23.11.1'])('%s ends with a sentence', (version) => {
    const { status, stderr } = run(version);
    expect({ status, stderr }).toEqual({
      status: 1,
      stderr: `Node ${version} is not supported. Install Node ${engines.node} and run \`npm ci\` again.\n`,
    });
  });

  it.each(['20.19.0', '22.12.0', '24.0.0', '25.1.0'])('%s runs', (version) => {
    expect(run(version)).toMatchObject({ status: 0, stderr: '' });
  });

  it('is refused before anything else is read', () => {
    const firstImport = (file: string) => /^import .*$/m.exec(readFileSync(join(root, file), 'utf8'))?.[0];
    expect(['scripts/build.mjs', 'src/main.ts', 'src/cli/main.ts'].map(firstImport)).toEqual([
      "import '../src/require-node.cjs';",
      "import './require-node.cjs';",
      "import '../require-node.cjs';",
    ]);
  });
});
