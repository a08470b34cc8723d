import { commands } from '../../src/cli/commands';
import { runCli } from '../../src/cli/run-cli';

async function help(...words: readonly string[]): Promise<string> {
  const written: string[] = [];
  const stdout = { write: (text: string) => written.push(text) };
  expect(await runCli([...words, '--help'], { stdout, stderr: process.stderr })).toBe(0);
  return written.join('');
}

describe('catalog --help', () => {
  it('lists every command or its group, the settings and the exit codes', async () => {
    const text = await help();
    for (const { name } of commands) expect(text).toContain(`\n  ${name.split(' ')[0]}`);
    for (const word of ['DATABASE_URL', 'DATA_DIR', 'PUBLIC_URL', 'LOG_LEVEL', 'Exit codes'])
      expect(text).toContain(word);
  });

  it.each(commands.map(({ name }) => [name]))(
    'explains `catalog %s` with an example of it and the exit codes',
    async (name) => {
      const text = await help(...name.split(' '));
      expect(text).toContain(`Usage: catalog ${name}`);
      expect(text.split('Examples:')[1]).toMatch(new RegExp(`\\bcatalog ${name}\\b`));
      expect(text).toContain('Exit codes:');
    },
  );

  it.each(commands.flatMap(({ name, examples }) => examples.map((example) => [example, name])))(
    'shows only options that exist in `%s`',
    async (example, name) => {
      const text = await help(...name.split(' '));
      for (const [option] of example.split('|')[0]?.matchAll(/--[a-z-]+/g) ?? []) expect(text).toContain(option);
    },
  );

  it.each([[], ['shop'], ['key'], ...commands.map(({ name }) => name.split(' '))])(
    'fits a terminal of 80 columns: %s %s',
    async (...words) => {
      const lines = (await help(...words)).split('\n');
      expect(lines.filter((line) => line.length > 80)).toEqual([]);
    },
  );

  it.each(['shop', 'key'])('lists the commands of `catalog %s`', async (group) => {
    const text = await help(group);
    for (const { name, summary } of commands.filter((command) => command.name.startsWith(`${group} `))) {
      expect(text).toMatch(new RegExp(`^  ${name.split(' ')[1]} `, 'm'));
      expect(text.replaceAll(/\s+/g, ' ')).toContain(summary);
    }
  });

  it('is what `catalog help <command>` shows', async () => {
    const written: string[] = [];
    const stdout = { write: (text: string) => written.push(text) };
    expect(await runCli(['help', 'key', 'list'], { stdout, stderr: process.stderr })).toBe(0);
    expect(written.join('')).toBe(await help('key', 'list'));
  });
});
