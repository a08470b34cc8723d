// Lets plain node run TypeScript files, for tests that need a process of their own: node --require <this file> <file>
const { readFileSync } = require('node:fs');
const { Module } = require('node:module');
const { transformSync } = require('@swc/core');

Module._extensions['.ts'] = (module, filename) => {
  const { code } = transformSync(readFileSync(filename, 'utf8'), {
    filename,
    configFile: require.resolve('../../.swcrc'),
    sourceMaps: 'inline',
  });
  module._compile(code, filename);
};
