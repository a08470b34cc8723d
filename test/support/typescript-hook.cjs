// Lets plain node run TypeScript files, for tests that need a separate process: `node --require <this file> <file>`.
// Caches what it compiles in the temporary directory of a Jest run, because some tests start hundreds of processes.
const { createHash } = require('node:crypto');
const { mkdirSync, readFileSync, renameSync, writeFileSync } = require('node:fs');
const { Module } = require('node:module');
const { join } = require('node:path');

const directory = process.env.TEST_COMPILED;

Module._extensions['.ts'] = (module, filename) => {
  const source = readFileSync(filename, 'utf8');
  module._compile(directory === undefined ? compile(source, filename) : compileOnce(source, filename), filename);
};

// Dynamic imports name the compiled file.
const resolve = Module._resolveFilename;
Module._resolveFilename = (request, parent, ...rest) => {
  const source = parent?.filename?.endsWith('.ts') ? request.replace(/^(\.{1,2}\/.*)\.js$/, '$1.ts') : request;
  return resolve(source, parent, ...rest);
};

function compileOnce(source, filename) {
  const cached = join(directory, createHash('sha1').update(`${filename}\n${source}`).digest('hex'));
  try {
    return readFileSync(cached, 'utf8');
  } catch {
    const code = compile(source, filename);
    try {
      mkdirSync(directory, { recursive: true });
      // Another process may be reading.
      writeFileSync(`${cached}.${process.pid}`, code);
      renameSync(`${cached}.${process.pid}`, cached);
    } catch {
      // A process that runs as another user may not write there, and needs nothing but the code.
    }
    return code;
  }
}

function compile(source, filename) {
  const { transformSync } = require('@swc/core');
  return transformSync(source, {
    filename,
    configFile: require.resolve('../../scripts/swc.json'),
    sourceMaps: 'inline',
  }).code;
}
