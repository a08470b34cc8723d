import type { Help } from 'commander';
import { Command } from 'commander';
import { readVersion } from '../common/version';
import type { Perform, PerformAlone } from './command';
import { commandGroups, commands } from './commands';
import { UsageError } from './usage-error';

interface ProgramOptions {
  readonly perform: Perform;
  readonly performAlone: PerformAlone;
  /** Where help and version are written. */
  readonly write: (text: string) => void;
}

/**
 * Builds a commander program from the command table, of which the commands that the words name are complete. It throws
 * instead of ending the process.
 */
export function createProgram(words: readonly string[], { perform, performAlone, write }: ProgramOptions): Command {
  const spoken = ` ${words.filter((word) => !word.startsWith('-')).join(' ')} `;
  const root = quiet(new Command('catalog'), write)
    .description('Serves, fills and administers the Catalog Read API.')
    .version(readVersion(), '--version', 'print the version')
    .addHelpText('after', `\nCommands:\n${commandList()}\n\n${rootHelp}`);
  const groups = new Map(
    Object.entries(commandGroups).map(([word, summary]) => [word, quiet(root.command(word), write).summary(summary)]),
  );
  for (const { name, login, summary, details, examples, define } of commands) {
    const [first = '', second] = name.split(' ');
    const parent = second === undefined ? root : groups.get(first);
    if (parent === undefined) throw new Error(`The group of the command "${name}" is missing in the command table.`);
    const command = quiet(parent.command(second ?? first), write).summary(summary);
    if (!spoken.includes(` ${name} `)) continue;
    command
      .description(capitalised(summary))
      .addHelpText('after', `\nExamples:\n${indented(examples)}\n\n${exitCodes}`);
    descriptions.set(command, `${capitalised(summary)}.\n\n${unwrapped(details)}`);
    const needed = login === undefined ? {} : { needed: `\`catalog ${name}\` needs a login of ${login}` };
    define(command, (task, options = { serves: false }) => perform(task, { ...options, ...needed }), performAlone);
    nameUnknownOptionsFirst(command);
  }
  for (const [word, group] of groups) {
    group.description(capitalised(group.summary()));
    demandCommand(group, `catalog ${word} …`);
  }
  demandCommand(root, 'catalog …');
  return root;
}

/** The action for a group without one of its commands: it lists them. */
function demandCommand(group: Command, usage: string): void {
  const refuse = (): never => {
    const names = group.commands.map((command) => command.name());
    const list = group.parent === null ? commandList() : indented(rowsOf(group.commands));
    throw new UsageError(`${usage}: expected a command, one of ${names.join(', ')}`, `\n${list}`);
  };
  group.help = refuse;
}

const rowsOf = (those: readonly Command[]): string[] => {
  const width = Math.max(...those.map((command) => command.name().length));
  return those.map((command) => `${command.name().padEnd(width)}  ${command.summary()}`);
};

/** Reports an unknown option before a missing one: it may be the same, mistyped. */
function nameUnknownOptionsFirst(command: Command): void {
  const parse = command.parseOptions.bind(command);
  const parseKnown: typeof parse = (words) => {
    const parsed = parse(words);
    const [unknown] = parsed.unknown;
    const asksForHelp = parsed.unknown.some((word) => word === '-h' || word === '--help');
    if (unknown !== undefined && !asksForHelp && command.commands.length === 0)
      (command as unknown as { unknownOption(flag: string): void }).unknownOption(unknown);
    return parsed;
  };
  command.parseOptions = parseKnown;
}

/** Messages are thrown, not printed, so that they appear once and in the requested form. */
function quiet(command: Command, write: (text: string) => void): Command {
  return command
    .exitOverride()
    .allowExcessArguments(false)
    .helpOption('-h, --help', 'show this help')
    .helpCommand(false)
    .configureHelp({ helpWidth: columns, formatHelp, commandDescription: describe })
    .configureOutput({ writeOut: write, writeErr: () => undefined, outputError: () => undefined });
}

/** The minimum width of a terminal. */
const columns = 80;

/** The full description of a command. Its own is one line, for lists. */
const descriptions = new WeakMap<Command, string>();
const describe = (command: Command): string => descriptions.get(command) ?? command.description();

/** The root's help contains the table itself, so that it also shows the commands inside the groups. */
function formatHelp(this: Help, command: Command, help: Help): string {
  if (command.parent !== null) return Command.prototype.createHelp().formatHelp(command, help);
  const withoutCommands = Object.assign(Object.create(help) as Help, { visibleCommands: () => [] });
  return Command.prototype.createHelp().formatHelp(command, withoutCommands);
}

function commandList(): string {
  const width = Math.max(...commands.map(({ name }) => name.length));
  return indented(commands.map(({ name, summary }) => `${name.padEnd(width)}  ${summary}`));
}

/** Joins the lines of each paragraph: help wraps them at its own width. Lists keep their line ends. */
const unwrapped = (text: string): string => text.replaceAll(/(?<=\S)\n(?=\S)/g, ' ');

const capitalised = (text: string): string => text.charAt(0).toUpperCase() + text.slice(1);

const indented = (lines: readonly string[]): string => lines.map((line) => `  ${line}`).join('\n');

const exitCodes = `Exit codes:
  0  success
  1  failure
  2  wrong usage
With --json, stderr then has {"error": {"code", "message"}} and stdout nothing.`;

const rootHelp = `A shop, from nothing to its first answer:
  catalog shop create --domain shop.example --platform shopify --currency EUR
  catalog import products_export.csv orders_export.csv --shop shop.example
  catalog key create --shop shop.example --scope catalog:read
  catalog serve

\`catalog help <command>\` explains a command and shows examples. In a checkout
the program is \`npx catalog\`. Every command works while the server runs.
Results go to stdout, progress and messages to stderr.

${exitCodes}

Settings (environment):
  DATABASE_URL        PostgreSQL 15 to 18; unset: an embedded one in DATA_DIR
  DATA_DIR            embedded database and generated secrets (./.data)
  PORT, HOST          where serve listens (4000, 127.0.0.1)
  PUBLIC_URL          address in links and challenges (http://localhost:PORT)
  REDIS_URL           rate limit shared by several processes
  TOKEN_SIGNING_KEYS  JSON Web Key Set with private EC P-256 keys; made in
                      DATA_DIR outside production
  CURSOR_SECRET       secrets of 32 characters or more, separated by commas
  KEY_PREFIX          first part of new API keys (ck)
  SUBGRAPHS           other teams' subgraphs, name=url,…
  ROUTER_SECRETS      what opens subgraphs to this router, name=secret,…
  LOG_LEVEL           info; debug adds the details of unexpected errors
All of them: docs/operations.md`;
