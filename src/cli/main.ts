#!/usr/bin/env node
import { runCli } from './run-cli';

// `catalog key list | head` closes the pipe early: nothing to report, nobody reads it.
process.stdout.on('error', (error: NodeJS.ErrnoException) => {
  if (error.code !== 'EPIPE') throw error;
});

void runCli(process.argv.slice(2), process).then((exitCode) => {
  process.exitCode = exitCode;
});
