import type { ChildProcess } from 'node:child_process';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { randomUUID } from 'node:crypto';

export interface TerminalOptions {
  readonly directory: string;
  readonly environment: Readonly<Record<string, string | undefined>>;
  /** A command prefix, such as one that runs the shell in its own network. */
  readonly inside?: readonly string[];
}

export interface Terminal {
  /** Types commands and does not wait for them. */
  type(commands: string): void;
  /** @returns their standard output. @throws Error when one of them fails */
  run(commands: string): Promise<string>;
  /** Resolves when the terminal has printed this after the given position. */
  waitFor(pattern: RegExp, from?: number): Promise<string>;
  /** How much it has shown: a place to wait from. */
  shown(): number;
  /** Sends Ctrl-C to the command in the foreground. */
  interrupt(): void;
  close(): Promise<void>;
}

/**
 * A bash into which commands are typed, like a reader's open terminal: each command sees what the previous ones set.
 */
export function openTerminal({ directory, environment, inside = [] }: TerminalOptions): Terminal {
  const [program = 'bash', ...words] = [...inside, 'bash'];
  const shell: ChildProcess = spawn(program, words, {
    cwd: directory,
    env: environment,
    stdio: ['pipe', 'pipe', 'pipe'],
    // A separate process group for Ctrl-C. Background commands ignore it, as they do without job control.
    detached: true,
  });
  const closed = once(shell, 'close');
  let [output, all] = ['', ''];
  const watchers = new Set<() => void>();
  const show = (text: string): void => {
    all += text;
    for (const look of watchers) look();
  };
  shell.stdout?.on('data', (chunk: Buffer) => {
    output += chunk.toString();
    show(chunk.toString());
  });
  shell.stderr?.on('data', (chunk: Buffer) => show(chunk.toString()));
  const type = (commands: string): void => void shell.stdin?.write(`${commands}\n`);
  // The shell survives Ctrl-C, as an interactive one does.
  type(`trap : INT; trap 'failed="$failed [$BASH_COMMAND]"' ERR`);

  const waitFor = (pattern: RegExp, from = 0): Promise<string> =>
    new Promise((resolve, reject) => {
      const look = (): void => {
        const found = pattern.exec(all.slice(from));
        if (found === null) return;
        watchers.delete(look);
        shell.off('close', fail);
        resolve(found[0]);
      };
      const fail = (): void => reject(new Error(`the shell ended: ${all}`));
      watchers.add(look);
      shell.once('close', fail);
      look();
    });

  return {
    type,
    waitFor,
    shown: () => all.length,
    async run(commands) {
      const end = randomUUID();
      const [from, start] = [all.length, output.length];
      type(`failed=\n${commands}\necho "${end}:$failed"`);
      const last = await waitFor(new RegExp(`${end}:(.*)\n`), from);
      const failed = last.slice(end.length + 1).trim();
      const text = output.slice(start, output.indexOf(end, start));
      if (failed !== '') throw new Error(`${failed} failed: ${all.slice(from)}`);
      return text;
    },
    interrupt: () => void process.kill(-(shell.pid as number), 'SIGINT'),
    async close() {
      shell.stdin?.end();
      try {
        process.kill(-(shell.pid as number), 'SIGTERM');
      } catch {
        // The whole process group has ended.
      }
      await closed;
    },
  };
}
