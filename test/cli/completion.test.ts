import { spawnSync } from 'node:child_process';
import { mkdtempSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { buildCatalog, createCatalog } from './run-catalog';

// Nothing listens there: completion opens nothing.
const catalog = createCatalog('postgresql://nobody@127.0.0.1:1/none');
beforeAll(buildCatalog);

const complete = async (...words: readonly string[]) => {
  const { exitCode, stdout } = await catalog('complete', '--', ...words);
  expect(exitCode).toBe(0);
  return stdout.split('\n').map((line) => line.split('\t')[0]);
};

/** A test that runs where the shell is installed. */
function itWith(shell: string): jest.It {
  if (spawnSync(shell, ['--version']).error === undefined) return it;
  console.log(`Not tried in ${shell}, which is not installed.`);
  return it.skip;
}

describe('completion', () => {
  it.each(['bash', 'zsh', 'fish', 'powershell'])('is printed for %s, and that shell accepts it', async (shell) => {
    const { exitCode, stdout } = await catalog('completion', shell);
    expect(exitCode).toBe(0);
    expect(stdout).toContain('catalog');
    const file = join(mkdtempSync(join(tmpdir(), 'catalog-completion-')), 'script');
    writeFileSync(file, stdout);
    const checked = spawnSync(shell, ['-n', file], { encoding: 'utf8' });
    if (checked.error !== undefined) console.log(`Not checked by ${shell}, which is not installed.`);
    else expect({ status: checked.status, stderr: checked.stderr }).toEqual({ status: 0, stderr: '' });
  });

  it('works in a bash without bash-completion, sourced twice, and where catalog is a function', () => {
    const program = join(__dirname, '../../dist/src/cli/main.js');
    const script = `
      set -u
      catalog() { ${process.execPath} ${program} "$@"; }
      source <(catalog completion bash)
      source <(catalog completion bash)
      try() {
        COMP_LINE="$1"; COMP_POINT=\${#COMP_LINE}; COMPREPLY=()
        _catalog_complete
        echo "$1|\${COMPREPLY[*]-}"
      }
      try 'catalog key ro'
      try 'catalog shop '
      try 'catalog shop create --pla'
      complete -p catalog`;
    const { stdout, stderr, status } = spawnSync('bash', ['--norc', '--noprofile', '-c', script], {
      encoding: 'utf8',
      env: { PATH: process.env['PATH'] },
    });
    expect({ stderr, status }).toEqual({ stderr: '', status: 0 });
    expect(stdout.trim().split('\n')).toEqual([
      'catalog key ro|rotate',
      'catalog shop |create set list',
      'catalog shop create --pla|--platform --plan --plan-status',
      'complete -o default -F _catalog_complete catalog',
    ]);
  });

  const asFunction = `${process.execPath} ${join(__dirname, '../../dist/src/cli/main.js')}`;
  const runScript = (shell: string, script: string) =>
    spawnSync(shell, shell === 'zsh' ? ['-f', '-c', script] : ['-c', script], {
      encoding: 'utf8',
      env: { PATH: process.env['PATH'], HOME: mkdtempSync(join(tmpdir(), 'catalog-completion-')) },
    });

  itWith('fish')('works in fish, where catalog is a function', () => {
    const { stdout, status } = runScript(
      'fish',
      `function catalog; ${asFunction} $argv; end
       catalog completion fish | source
       complete -C 'catalog key ro'
       complete -C 'catalog shop create --pla'`,
    );
    expect(status).toBe(0);
    expect(stdout.split('\n').map((line) => line.split('\t')[0])).toEqual(['rotate', '--plan', '--platform', '']);
  });

  itWith('zsh')('is registered in zsh, sourced twice', () => {
    const { stdout, stderr } = runScript(
      'zsh',
      `autoload -U compinit; compinit -u -D
       catalog() { ${asFunction} "$@" }
       source <(catalog completion zsh)
       source <(catalog completion zsh)
       print -r -- $_comps[catalog]`,
    );
    expect({ stdout, stderr }).toEqual({ stdout: '_catalog\n', stderr: '' });
  });

  it('completes commands and their options, and nothing of several lines', async () => {
    expect(await complete('')).toEqual(expect.arrayContaining(['serve', 'shop', 'key', 'import', 'migrate']));
    expect(await complete('key', 'ro')).toContain('rotate');
    expect(await complete('shop', 'create', '--pl')).toEqual(expect.arrayContaining(['--platform', '--plan']));
    expect(await complete('export', '--')).toEqual(expect.arrayContaining(['--shop', '--format', '--types']));
    expect(await complete('export', '--format', '')).toEqual(expect.arrayContaining(['snapshot', 'jsonl']));
    for (const candidate of await complete('key', '')) expect(candidate).toMatch(/^(\w+|:\d+|)$/);
  });
});
