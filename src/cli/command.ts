import type { Clock } from '../common/clock';
import type { Config } from '../config/config';
import type { Database } from '../database/database';

/** Invalid usage that the user can correct. */
export class UsageError extends Error {
  override readonly name = 'UsageError';

  /** @param details further lines for people */
  constructor(
    message: string,
    readonly details?: string,
  ) {
    super(message);
  }
}

/**
 * The resources of a command. Nothing is opened before a command requests it: `--help` needs neither settings nor a
 * database.
 */
export interface CliContext {
  readonly config: Config;
  readonly clock: Clock;
  /** Whether to show progress: only on a terminal, and never with --json. */
  readonly interactive: boolean;
  /** Whether the result is one JSON document. */
  readonly json: boolean;
  /** Writes one line to stderr. Silent with --json. */
  readonly log: (line: string) => void;
  /** Opens and migrates the configured database; it is closed when the command ends. Fails if there is none. */
  readonly database: () => Promise<Database>;
  /**
   * Like `database`, for commands that can start with an empty one: creates a missing database, on a terminal after
   * confirmation.
   */
  readonly databaseOrNew: () => Promise<Database>;
  /** Asks for confirmation, as databaseOrNew does, before it creates a database. */
  readonly allowNewDatabase: () => Promise<void>;
  /** Runs an import. A signal that ends the process reports its outcome; `onCommit` is called before it is written. */
  readonly untilStopped: <Result>(run: (onCommit: () => void) => Promise<Result>) => Promise<Result>;
  /** How long a statement of the command waits for one lock of another session. */
  readonly lockTimeoutMilliseconds: number;
}

/** The output of a command: the document that --json prints, and its form for people. */
export interface CliResult {
  readonly json: unknown;
  readonly text: string;
  /** 1 when the command ran and the result is negative; 0 by default. */
  readonly exitCode?: 0 | 1;
}

export type Parse<Value> = (text: string, before?: Value) => Value;

/** An option, by the name of its value in the code: `dryRun` is --dry-run. */
interface OptionSpec<Value> {
  /** Placeholder of the value in help, such as `<domain>`; empty for a flag. */
  readonly value?: string;
  readonly description: string;
  readonly parse?: (text: string, before?: never) => unknown;
  readonly choices?: readonly string[];
  readonly isNeeded?: true;
  readonly fallback?: Value;
  /** The default that help shows. */
  readonly shown?: string | undefined;
}

export const flag = (description: string): OptionSpec<boolean> => ({ description });

export const given = <Value>(
  value: string,
  description: string,
  parse: Parse<Value>,
): OptionSpec<Value | undefined> => ({ value, description, parse });

export const needed = <Value>(value: string, description: string, parse: Parse<Value>): OptionSpec<Value> => ({
  value,
  description,
  parse,
  isNeeded: true,
});

export const usual = <Value>(
  value: string,
  description: string,
  parse: Parse<Value>,
  fallback: Value,
  shown?: string,
): OptionSpec<Value> => ({ value, description, parse, fallback, shown });

export const choice = <Word extends string, Fallback extends Word | undefined>(
  value: string,
  description: string,
  choices: readonly Word[],
  fallback: Fallback,
): OptionSpec<Word | Fallback> => ({ value, description, choices, fallback });

/** Positional arguments of a command. */
interface ArgumentSpec<Value> {
  /** As in help: `<files...>`. */
  readonly name: string;
  readonly description: string;
  readonly parse?: ((text: string) => Value) | undefined;
}

export const argument = <Value = string>(
  name: string,
  description: string,
  parse?: (text: string) => Value,
): ArgumentSpec<Value> => ({ name, description, parse });

type Specs = Readonly<Record<string, OptionSpec<unknown>>>;
export type ValuesOf<Options> = {
  readonly [Name in keyof Options]: Options[Name] extends OptionSpec<infer Value> ? Value : never;
};

type CommandLogin =
  | 'catalog_reader'
  | 'catalog_writer or catalog_admin'
  | 'catalog_admin'
  | 'one of the roles'
  | 'the owner of the tables';

interface CommandOf<Options, Argument> {
  /** As typed: `shop create`. */
  readonly name: string;
  /** The role of docs/deploy/roles.sql that it needs; undefined when it uses no database. */
  readonly login?: CommandLogin;
  readonly summary: string;
  /** Description for --help. */
  readonly details: string;
  readonly examples: readonly string[];
  readonly argument?: ArgumentSpec<Argument>;
  readonly options: Options;
  /** The document that --json prints; undefined for a command without a result. */
  readonly json?: string;
  /** Whether it serves the API, which needs more settings in production. */
  readonly serves?: true;
  /**
   * The part that needs neither settings nor a database: the whole task, or checks before it.
   * @returns undefined where there is more to do
   */
  alone?(options: ValuesOf<Options>, argument: Argument): Promise<CliResult | undefined> | undefined;
  /** The task. It imports what it needs, so that help and usage errors load nothing else. */
  run?(context: CliContext, options: ValuesOf<Options>, argument: Argument): Promise<CliResult | undefined>;
}

/** One row of the command table. */
export type CliCommand = CommandOf<Specs, unknown>;

export const command = <const Options extends Specs, Argument = undefined>(
  row: CommandOf<Options, Argument>,
): CliCommand => row;

/** The members of a --json document, in snake case. */
export const inSnakeCase = (object: object): Readonly<Record<string, unknown>> =>
  Object.fromEntries(
    Object.entries(object).map(([name, value]) => [
      name.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`),
      value as unknown,
    ]),
  );

export const capitalized = (text: string): string => text.charAt(0).toUpperCase() + text.slice(1);
