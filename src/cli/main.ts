#!/usr/bin/env node
import '../require-node.cjs';
import { findCallerDirectory } from '../config/start-directory';
import { stderr, stdout } from '../common/terminal';
import { asksForJson, runCli, toErrorDocument } from './run-cli';

const words = process.argv.slice(2);

// `catalog key list | head` closes the pipe early: there is nothing to report, and no reader.
process.stdout.on('error', (error: NodeJS.ErrnoException) => {
  if (error.code === 'EPIPE') return;
  const message = `Cannot write to standard output: ${error.message}.`;
  stderr.write(asksForJson(words) ? toErrorDocument({ code: 'OUTPUT_FAILED', message }) : `${message}\n`);
  process.exitCode = 1;
});
// Messages are lost, but the command finishes.
process.stderr.on('error', () => undefined);

// Settings resolve paths from where the program was started, commands from the user's directory.
const callerDirectory = findCallerDirectory();
if (callerDirectory !== undefined) process.chdir(callerDirectory);

void runCli(words, { stdout, stderr, stdin: process.stdin }).then((exitCode) => {
  process.exitCode ||= exitCode;
});
