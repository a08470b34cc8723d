// Runs the commands of Prisma that this project uses: generate, format and validate. Before any command, Prisma loads
// its Studio, local databases and a configuration reader; overrides in package.json leave out these 160 MB.
const Module = require('node:module');
const { join } = require('node:path');

const schema = join(__dirname, '../prisma/schema.prisma');
const absent = {
  '@prisma/config': {
    loadConfigFromFile: async () => ({ resolvedPath: null, config: { schema, datasource: {} }, diagnostics: [] }),
  },
  // None of these commands needs an engine binary.
  '@prisma/engines': { ensureNeededBinariesExist: async () => undefined, enginesVersion: 'none' },
};
const load = Module._load;
Module._load = (request, ...rest) =>
  absent[request] ?? (/^@prisma\/(dev|studio-core)\//.test(request) ? {} : load(request, ...rest));
process.env.PRISMA_HIDE_UPDATE_MESSAGE ??= '1';
require('prisma/build/index.js');
