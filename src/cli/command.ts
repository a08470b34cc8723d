import type { Command } from 'commander';
import type { Clock } from '../common/clock';
import type { Config } from '../config/config';
import type { Database } from '../database/database';

/**
 * The resources of a command. Nothing is opened before a command requests it: `--help` needs neither settings nor a
 * database.
 */
export interface CliContext {
  readonly config: Config;
  readonly clock: Clock;
  /** Whether progress is visible: it is on a terminal only, and never beside a JSON document. */
  readonly interactive: boolean;
  /** Writes one line to stderr. Silent with --json. */
  readonly log: (line: string) => void;
  /** Opens the database of the settings, migrated; it is closed when the command ends. Fails where there is none. */
  readonly database: () => Promise<Database>;
  /**
   * As `database`, for commands that make sense with an empty database: a missing one is created, on a terminal after a
   * confirmation.
   */
  readonly databaseOrNew: () => Promise<Database>;
  /** Asks for confirmation, as databaseOrNew does, before it creates a database. */
  readonly allowNewDatabase: () => Promise<void>;
  /** How long a statement of the command waits for one lock of another session. */
  readonly lockTimeoutMilliseconds: number;
}

/** The output of a command: the document that --json prints, and its form for people. */
export interface CliResult {
  readonly json: unknown;
  readonly text: string;
  /** 1 when the command did its task and the answer is no; 0 by default. */
  readonly exitCode?: 0 | 1;
}

/** Runs the task of a correctly used command, and prints its result. */
export type Perform = (
  task: (context: CliContext) => Promise<CliResult | undefined>,
  options?: {
    /** Whether the command serves the API, which needs more settings in production. */
    readonly serves: boolean;
    /** The command and the login that it needs, as in `` `catalog key create` needs a login of catalog_admin ``. */
    readonly needed?: string;
  },
) => Promise<void>;

/** As Perform, for a task that needs neither the settings of the service nor a database. */
export type PerformAlone = (task: () => Promise<CliResult>) => Promise<void>;

export type CommandLogin =
  | 'catalog_reader'
  | 'catalog_writer or catalog_admin'
  | 'catalog_admin'
  | 'one of the roles'
  | 'the owner of the tables';

/** One row of the command table. */
export interface CliCommand {
  /** As typed: `shop create`. */
  readonly name: string;
  /** The login that it needs, of the roles of docs/deploy/roles.sql; undefined when it uses no database. */
  readonly login?: CommandLogin;
  readonly summary: string;
  /** What a user should know before using it; shown by --help. */
  readonly details: string;
  readonly examples: readonly string[];
  /**
   * Declares arguments and options, and the task that they run. What the task needs is imported inside it, so that help
   * and errors of usage load nothing else.
   */
  readonly define: (command: Command, perform: Perform, performAlone: PerformAlone) => void;
}
