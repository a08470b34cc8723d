import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { Command } from 'commander';
import { projectRoot } from '../project-root';
import type { Perform } from './command';
import { commandGroups, commands } from './commands';

interface ProgramOptions {
  readonly perform: Perform;
  /** Where help and version go. */
  readonly write: (text: string) => void;
}

/** The command table as a commander program. It throws instead of ending the process. */
export function createProgram({ perform, write }: ProgramOptions): Command {
  const root = quiet(new Command('catalog'), write)
    .description('Serves, fills and administers the Catalog Read API.')
    .version(readVersion(), '--version', 'print the version')
    // The table itself, so that one look shows the commands inside the groups too.
    .configureHelp({ visibleCommands: () => [] })
    .addHelpText('after', `\nCommands:\n${commandList()}\n\n${rootHelp}`);
  const groups = new Map(
    Object.entries(commandGroups).map(([word, summary]) => [word, quiet(root.command(word), write).summary(summary)]),
  );
  for (const { name, summary, details, examples, define } of commands) {
    const [first = '', second] = name.split(' ');
    const parent = second === undefined ? root : groups.get(first);
    if (parent === undefined) throw new Error(`The group of the command "${name}" is missing in the command table.`);
    const command = quiet(parent.command(second ?? first), write)
      .summary(summary)
      .description(`${capitalised(summary)}.\n\n${details}`)
      .addHelpText('after', `\nExamples:\n${indented(examples)}\n\n${exitCodes}`);
    define(command, perform);
  }
  for (const group of groups.values()) group.description(capitalised(group.summary()));
  return root;
}

/** Messages are thrown, not printed, so that they come out once and in the form that was asked for. */
function quiet(command: Command, write: (text: string) => void): Command {
  return command
    .exitOverride()
    .allowExcessArguments(false)
    .helpOption('-h, --help', 'show this help')
    .helpCommand(false)
    .configureOutput({ writeOut: write, writeErr: () => undefined, outputError: () => undefined });
}

const readVersion = (): string =>
  (JSON.parse(readFileSync(join(projectRoot, 'package.json'), 'utf8')) as { version: string }).version;

function commandList(): string {
  const width = Math.max(...commands.map(({ name }) => name.length));
  return indented(commands.map(({ name, summary }) => `${name.padEnd(width)}  ${summary}`));
}

const capitalised = (text: string): string => text.charAt(0).toUpperCase() + text.slice(1);

const indented = (lines: readonly string[]): string => lines.map((line) => `  ${line}`).join('\n');

const exitCodes = `Exit codes:
  0  success
  1  failure; with --json stderr has {"error": {"code", "message"}} and stdout nothing
  2  wrong usage, likewise`;

const rootHelp = `A shop, from nothing to its first answer:
  catalog shop create --domain shop.example --platform shopify --currency EUR
  catalog import products_export.csv orders_export.csv --shop shop.example
  catalog key create --shop shop.example --scope catalog:read
  catalog serve

\`catalog <command> --help\` explains a command and shows examples. Every command works while the server runs.
Results go to stdout, progress and messages to stderr.

${exitCodes}

Settings (environment):
  DATABASE_URL        PostgreSQL 14 or newer; unset: an embedded one in DATA_DIR
  DATA_DIR            embedded database and generated secrets (./.data)
  PORT, HOST          where serve listens (4000, 127.0.0.1)
  PUBLIC_URL          origin in links and challenges (http://localhost:PORT)
  REDIS_URL           rate limit shared by several processes
  TOKEN_SIGNING_KEYS  JSON Web Key Set with private EC P-256 keys; generated in DATA_DIR outside production
  CURSOR_SECRET       secrets of at least 32 characters, comma-separated; generated likewise
  KEY_PREFIX          first part of new API keys (ck)
  SUBGRAPHS           other teams' subgraphs, name=url,…; docs/operations.md has the settings beside it
  LOG_LEVEL           info; debug adds the details of unexpected errors`;
