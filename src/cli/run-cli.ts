import { once } from 'node:events';
import { createInterface } from 'node:readline/promises';
import { CommanderError, type Command } from 'commander';
import type { Config } from '../config/config';
import { parseConnectionTarget } from '../config/connection-target';
import { isDebugging } from '../config/is-debugging';
import { toTerminalText } from '../common/terminal';
import { UsageError, type CliCommand, type CliResult } from './command';
import { createProgram } from './program';

/** The streams of the command line; a test or a pipe can replace the terminal. */
interface CliStreams {
  readonly stdout: { write(text: string): unknown };
  readonly stderr: { write(text: string): unknown; readonly isTTY?: boolean };
  /** Read only when it is a terminal. */
  readonly stdin?: NodeJS.ReadableStream & { readonly isTTY?: boolean };
}

interface CliLimits {
  /** How long a command waits for one lock of another session. */
  readonly lockTimeoutMilliseconds?: number;
}

/**
 * Runs one command line. Results go to stdout, everything else to stderr; a failure leaves stdout empty.
 * @returns the exit code: 0 success, 1 failure, 2 wrong usage.
 */
export async function runCli(
  words: readonly string[],
  { stdout, stderr, stdin }: CliStreams,
  limits: CliLimits = {},
): Promise<number> {
  const json = asksForJson(words);
  const settings: { config?: Config; needed?: string | undefined } = {};
  let exitCode = 0;

  const print = (result: CliResult) => {
    stdout.write(json ? `${JSON.stringify(result.json)}\n` : `${result.text}\n`);
    exitCode = result.exitCode ?? 0;
  };

  const perform = async (row: CliCommand, options: Readonly<Record<string, unknown>>, argument: unknown) => {
    const done = await row.alone?.(options, argument);
    if (done !== undefined) print(done);
    if (done !== undefined || row.run === undefined) return;
    if (row.login !== undefined)
      settings.needed = `\`catalog ${row.name}\` must connect as ${row.login === 'the owner of the tables' ? '' : 'a member of '}${row.login}`;
    // Loaded here and not above: help and usage errors need neither settings nor a database driver.
    const [{ loadConfig }, { longestLockWaitMilliseconds }, { createDatabaseSlot }] = await Promise.all([
      import('../config/config.js'),
      import('../database/lock-waits.js'),
      import('./database-slot.js'),
    ]);
    const { lockTimeoutMilliseconds = longestLockWaitMilliseconds } = limits;
    const config = (settings.config = loadConfig(undefined, {
      serves: row.serves === true,
      hasDatabase: row.login !== undefined,
    }));
    const log = (line: string) => {
      if (!json && logsInfo.has(config.logLevel)) stderr.write(`${line}\n`);
    };
    if (!row.serves) config.misspelled.forEach(log);
    const interactive = !json && stderr.isTTY === true;
    const made: string[] = [];
    const { explain, close, ...databases } = createDatabaseSlot(config, {
      log,
      lockTimeoutMilliseconds,
      tellInterrupted(message) {
        if (json) stderr.write(toErrorDocument({ code: 'INTERRUPTED', message: message ?? 'Interrupted.' }));
        else if (message !== undefined) stderr.write(`${message}\n`);
      },
      ask: interactive && stdin?.isTTY === true ? (question) => askAt(stdin, question) : undefined,
      tell: (line) => void (json ? made.push(line) : stderr.write(`${line}\n`)),
    });
    try {
      const context = { config, clock: Date.now, interactive, json, log, lockTimeoutMilliseconds, ...databases };
      const result = await row.run(context, options, argument).catch(async (thrown: unknown) => {
        throw await explain(thrown);
      });
      if (result !== undefined) print(result);
      // After a failure stderr contains one document and nothing else.
      for (const line of made) stderr.write(`${line}\n`);
    } finally {
      await close();
    }
  };

  try {
    refuseLineBreaks(words);
    const program = createProgram(words, {
      perform,
      write: (text) => void stdout.write(text),
    });
    await program.parseAsync(toCommandWords(words, program), { from: 'user' });
    return exitCode;
  } catch (thrown) {
    // Commander ends like this after --help and --version.
    if (thrown instanceof CommanderError && thrown.exitCode === 0) return 0;
    const { toFailure } = await import('./to-failure.js');
    const failure = toFailure(thrown, { databaseUrl: settings.config?.databaseUrl, needed: settings.needed });
    // Without --json, the warnings were already printed.
    const message = [failure.message, ...(settings.config?.misspelled ?? [])].join('\n');
    stderr.write(json ? toErrorDocument({ code: failure.code, message, ...failure.details }) : `${failure.text}\n`);
    if (isDebugging() && failure.exitCode === 1 && failure.code !== 'BAD_SETTINGS') {
      stderr.write(`${withoutDatabaseUrl(stackOf(thrown), settings.config)}\n`);
    } else if (failure.unexpected && !json) {
      stderr.write('Set LOG_LEVEL=debug to see the details.\n');
    }
    return failure.exitCode;
  }
}

/**
 * Messages quote arguments, such as file names, and a line break in one of them would begin a line that looks like the
 * program's own. No option needs one.
 * @throws UsageError
 */
function refuseLineBreaks(words: readonly string[]): void {
  const word = words.find((one) => one.includes('\n'));
  if (word === undefined) return;
  throw new UsageError(
    `expected arguments without line breaks, got ${JSON.stringify(word)}: if this is a file name, rename the file or read it from standard input (-)`,
  );
}

async function askAt(input: NodeJS.ReadableStream, question: string): Promise<string> {
  const terminal = createInterface({ input, output: process.stderr });
  try {
    // Ctrl-C and Ctrl-D count as an empty answer; depending on the key, Node.js rejects or closes.
    const answer = terminal.question(toTerminalText(question)).catch(() => '');
    return await Promise.race([answer, once(terminal, 'close').then(() => '')]);
  } finally {
    terminal.close();
  }
}

/**
 * `catalog help key list` is `catalog key list --help`; with a mistyped word neither shows the help of something else.
 */
function toCommandWords(words: readonly string[], program: Command): string[] {
  const isHelp = words[0] === 'help';
  const rest = isHelp ? words.slice(1) : [...words];
  let command: Command | undefined = program;
  for (const word of rest) {
    if (word.startsWith('-') || command.commands.length === 0) break;
    command = command.commands.find((one) => one.name() === word);
    // Only the first words, so that the message is about the wrong one.
    if (command === undefined) return rest.slice(0, rest.indexOf(word) + 1);
  }
  return isHelp ? [...rest, '--help'] : rest;
}

const logsInfo: ReadonlySet<string> = new Set(['info', 'debug', 'trace']);

/** Determined before parsing, so that usage errors are also reported in the requested form. */
/** Whether failures are reported as JSON too. */
export function asksForJson(words: readonly string[]): boolean {
  const end = words.indexOf('--');
  return (end === -1 ? words : words.slice(0, end)).includes('--json');
}

export const toErrorDocument = (error: { readonly code: string; readonly message: string }): string =>
  `${JSON.stringify({ error })}\n`;

function stackOf(thrown: unknown): string {
  if (!(thrown instanceof Error)) return String(thrown);
  const stack = thrown.stack ?? thrown.message;
  return thrown.cause === undefined ? stack : `${stack}\ncaused by ${stackOf(thrown.cause)}`;
}

/** Driver messages may contain the URL, which includes the password. */
function withoutDatabaseUrl(text: string, config: Config | undefined): string {
  const url = config?.databaseUrl;
  if (url === undefined) return text;
  const { password } = new URL(parseConnectionTarget(url).urls[0]);
  const withoutUrl = text.replaceAll(url, '[DATABASE_URL]');
  return password === '' ? withoutUrl : withoutUrl.replaceAll(password, '[password]');
}
