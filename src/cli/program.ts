import type { Help } from 'commander';
import { Argument, Command, Option } from 'commander';
import { readVersion } from '../common/project-root';
import { capitalized, UsageError, type CliCommand, type Parse } from './command';
import { commandGroups, commands } from './commands';

interface ProgramOptions {
  readonly perform: (row: CliCommand, options: Values, argument: unknown) => Promise<void>;
  /** Where help and version are written. */
  readonly write: (text: string) => void;
}

type Values = Readonly<Record<string, unknown>>;

/**
 * Builds a commander program from the command table; only the commands that the words select get their options. It
 * throws instead of ending the process.
 */
export function createProgram(words: readonly string[], { perform, write }: ProgramOptions): Command {
  const spoken = ` ${words.filter((word) => !word.startsWith('-')).join(' ')} `;
  const root = quiet(new Command('catalog'), write)
    .description('Serves and manages the Catalog Read API.')
    .version(readVersion(), '--version', 'show the version')
    .addHelpText('after', `\nCommands:\n${commandList()}\n\n${rootHelp}`);
  const groups = new Map(
    Object.entries(commandGroups).map(([word, summary]) => [word, quiet(root.command(word), write).summary(summary)]),
  );
  for (const row of commands) {
    const { name, summary, details, examples } = row;
    const [first = '', second] = name.split(' ');
    const parent = second === undefined ? root : groups.get(first);
    if (parent === undefined) throw new Error(`The group of the command "${name}" is missing in the command table.`);
    const command = quiet(parent.command(second ?? first), write).summary(summary);
    if (!spoken.includes(` ${name} `)) continue;
    command
      .description(capitalized(summary))
      .addHelpText(
        'after',
        `\nExamples:\n${indented(examples)}\n\n${row.json === undefined ? exitCodes : exitCodesOfJson}`,
      );
    descriptions.set(command, `${capitalized(summary)}.\n\n${unwrapped(details)}`);
    declare(command, row, perform);
    nameUnknownOptionsFirst(command);
  }
  for (const [word, group] of groups) {
    group.description(capitalized(group.summary()));
    demandCommand(group, `catalog ${word} …`);
  }
  demandCommand(root, 'catalog …');
  return root;
}

const toFlag = (name: string): string => `--${name.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`)}`;

/** Declares the arguments and options of a command, and the task that they run. */
function declare(command: Command, row: CliCommand, perform: ProgramOptions['perform']): void {
  const { argument, options, json } = row;
  if (argument) {
    const { name, description, parse } = argument;
    command.addArgument(parse ? new Argument(name, description).argParser(parse) : new Argument(name, description));
  }
  for (const [name, { value = '', description, parse, choices, isNeeded, fallback, shown }] of Object.entries(
    options,
  )) {
    const option = new Option(`${toFlag(name)} ${value}`.trim(), description).default(fallback, shown);
    if (parse) option.argParser(parse as Parse<unknown>);
    if (choices) option.choices(choices);
    command.addOption(option.makeOptionMandatory(isNeeded === true));
  }
  if (json !== undefined) command.option('--json', `print one JSON document to stdout: ${json}`);
  command.action((...given: readonly unknown[]) => {
    const parsed: Values = command.opts();
    const values = Object.entries(options).map(([name, { value }]) => {
      // --no-catalog sets "catalog".
      const [, positive] = /^no([A-Z]\w*)$/.exec(name) ?? [];
      const found = positive === undefined ? parsed[name] : parsed[positive.toLowerCase()] === false;
      return [name, value === undefined ? found === true : found];
    });
    return perform(row, Object.fromEntries(values) as Values, argument && given[0]);
  });
}

/** Lists the commands of a group that was called without one. */
function demandCommand(group: Command, usage: string): void {
  const refuse = (): never => {
    const names = group.commands.map((command) => command.name());
    const list = group.parent === null ? commandList() : indented(rowsOf(group.commands));
    throw new UsageError(`${usage}: expected a command: ${names.join(', ')}`, `\n${list}`);
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

const indented = (lines: readonly string[]): string => lines.map((line) => `  ${line}`).join('\n');

const exitCodes = `Exit codes:
  0  success
  1  failure
  2  invalid usage`;

const exitCodesOfJson = `${exitCodes}
With --json, errors are printed to stderr as {"error": {"code", "message"}},
and stdout is empty.`;

const rootHelp = `Create a shop and make it available through the API:
  catalog shop create --domain shop.example --platform shopify --currency EUR
  catalog import products_export.csv orders_export.csv --shop shop.example
  catalog key create --shop shop.example --scope catalog:read
  catalog serve

\`catalog help <command>\` explains a command with examples. In a checkout,
run \`npx catalog\`. All commands work while the server is running.
Results are printed to stdout, progress and messages to stderr.

${exitCodesOfJson}

Settings (environment):
  DATABASE_URL        PostgreSQL 15 to 18; unset: an embedded one in DATA_DIR
  DATA_DIR            embedded database and generated secrets (./.data)
  PORT, HOST          where serve listens (4000, 127.0.0.1)
  PUBLIC_URL          URL in links and challenges (http://localhost:PORT)
  REDIS_URL           Redis for a rate limit shared by several processes
  TOKEN_SIGNING_KEYS  JSON Web Key Set with private EC P-256 keys; generated in
                      DATA_DIR outside production
  CURSOR_SECRET       secrets of 32 characters or more, separated by commas
  KEY_PREFIX          prefix of new API keys (ck)
  SUBGRAPHS           other teams' subgraphs, name=url,…
  ROUTER_SECRETS      secrets for subgraphs, name=secret,…
  LOG_LEVEL           info; debug adds the details of unexpected errors
All settings: docs/operations.md`;
