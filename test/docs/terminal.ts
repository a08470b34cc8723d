import type { ChildProcess } from 'node:child_process';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { randomUUID } from 'node:crypto';

export interface TerminalOptions {
  readonly directory: string;
  readonly environment: Readonly<Record<string, string | undefined>>;
  /** Words in front of the shell, such as those that take it into a network of its own. */
  readonly inside?: readonly string[];
}

export interface Terminal {
  /** Types commands and does not wait for them. */
  type(commands: string): void;
  /** @returns What they write to standard output. @throws Error when one of them fails */
  run(commands: string): Promise<string>;
  /** Resolves when the terminal has shown this, from the given place on. */
  waitFor(pattern: RegExp, from?: number): Promise<string>;
  /** How much it has shown: a place to wait from. */
  shown(): number;
  /** What Ctrl-C does to the command in front. */
  interrupt(): void;
  close(): Promise<void>;
}

/** A bash that commands are typed into, as a reader has one open: each command sees what the one before it set. */
export function openTerminal({ directory, environment, inside = [] }: TerminalOptions): Terminal {
  const [program = 'bash', ...words] = [...inside, 'bash'];
  const shell: ChildProcess = spawn(program, words, {
    cwd: directory,
    env: environment,
    stdio: ['pipe', 'pipe', 'pipe'],
    // A group of its own, for Ctrl-C; a background command ignores it, as without job control it does.
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
  // The shell outlives Ctrl-C, as one at a keyboard does.
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
        // All of the group have ended.
      }
      await closed;
    },
  };
}
