#!/usr/bin/env node
import { findCallerDirectory } from '../config';
import { runCli } from './run-cli';

// `catalog key list | head` closes the pipe early: nothing to report, nobody reads it.
process.stdout.on('error', (error: NodeJS.ErrnoException) => {
  if (error.code !== 'EPIPE') throw error;
});

// Settings name places from where the program was started, commands name files from where the person is.
const callerDirectory = findCallerDirectory();
if (callerDirectory !== undefined) process.chdir(callerDirectory);

void runCli(process.argv.slice(2), process).then((exitCode) => {
  process.exitCode = exitCode;
});
