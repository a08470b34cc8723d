import type { Command } from 'commander';
import type { Clock } from '../clock';
import type { Config } from '../config';
import type { Database } from '../database/database';

/** What a command may use. Nothing is opened before a command asks for it: `--help` needs neither settings nor database. */
export interface CliContext {
  readonly config: Config;
  readonly clock: Clock;
  /** Whether somebody watches: progress bars are drawn on a terminal only, and never beside a JSON document. */
  readonly interactive: boolean;
  /** One line to stderr. Silent with --json. */
  readonly log: (line: string) => void;
  /** The database of the settings, migrated; closed when the command ends. Refused where there is none. */
  readonly database: () => Promise<Database>;
  /** As `database`, for what makes sense in an empty one: where there is none it is made, on a terminal after a question. */
  readonly databaseOrNew: () => Promise<Database>;
  /** What databaseOrNew does before it makes one. */
  readonly allowNewDatabase: () => Promise<void>;
}

/** What a command answers: the document that --json prints, and the same for people. */
export interface CliResult {
  readonly json: unknown;
  readonly text: string;
}

/** Runs the task of a command that was called rightly, and prints its result. */
export type Perform = (task: (context: CliContext) => Promise<CliResult | undefined>) => Promise<void>;

/** As Perform, for a task that needs neither the settings of the service nor a database. */
export type PerformAlone = (task: () => Promise<CliResult>) => Promise<void>;

/** One row of the command table. */
export interface CliCommand {
  /** As it is typed: `shop create`. */
  readonly name: string;
  readonly summary: string;
  /** What one should know before using it; shown by --help. */
  readonly details: string;
  readonly examples: readonly string[];
  /** Declares arguments and options, and the task that they start. */
  readonly define: (command: Command, perform: Perform, performAlone: PerformAlone) => void;
}
