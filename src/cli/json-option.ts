import type { Command } from 'commander';

/** Declares --json and documents in help which document it prints. */
export function addJsonOption(command: Command, shape: string): Command {
  return command.option('--json', `print exactly one JSON document on stdout: ${shape}`);
}
