import { spawnSync } from 'node:child_process';
import { buildCatalog, createCatalog } from './run-catalog';

// Nothing listens there: completion opens nothing.
const catalog = createCatalog('postgresql://nobody@127.0.0.1:1/none');
beforeAll(buildCatalog);

const complete = async (...words: readonly string[]) => {
  const { exitCode, stdout } = await catalog('complete', '--', ...words);
  expect(exitCode).toBe(0);
  return stdout.split('\n').map((line) => line.split('\t')[0]);
};

describe('completion', () => {
  it.each(['bash', 'zsh', 'fish'])('is printed for %s, and that shell accepts it', async (shell) => {
    const { exitCode, stdout } = await catalog('completion', shell);
    expect(exitCode).toBe(0);
    expect(stdout).toContain('catalog');
    const checked = spawnSync(shell, ['-n'], { input: stdout, encoding: 'utf8' });
    if (checked.error !== undefined) console.log(`Not checked by ${shell}, which is not on this machine.`);
    else expect({ status: checked.status, stderr: checked.stderr }).toEqual({ status: 0, stderr: '' });
  });

  it('knows commands, their options, and nothing of several lines', async () => {
    expect(await complete('')).toEqual(expect.arrayContaining(['serve', 'shop', 'key', 'import', 'migrate']));
    expect(await complete('key', 'ro')).toContain('rotate');
    expect(await complete('shop', 'create', '--pl')).toEqual(expect.arrayContaining(['--platform', '--plan']));
    for (const candidate of await complete('key', '')) expect(candidate).toMatch(/^(\w+|:\d+|)$/);
  });
});
