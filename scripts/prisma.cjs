// Prisma's command line for what this project uses of it: generate, format and validate. It loads its Studio, its local
// databases and a reader of configuration files before any command; overrides of package.json leave these 160 MB out.
const Module = require('node:module');
const { join } = require('node:path');

const schema = join(__dirname, '../prisma/schema.prisma');
const absent = {
  '@prisma/config': {
    loadConfigFromFile: async () => ({ resolvedPath: null, config: { schema, datasource: {} }, diagnostics: [] }),
  },
  // No command here has an engine that is a program.
  '@prisma/engines': { ensureNeededBinariesExist: async () => undefined, enginesVersion: 'none' },
};
const load = Module._load;
Module._load = (request, ...rest) =>
  absent[request] ?? (/^@prisma\/(dev|studio-core)\//.test(request) ? {} : load(request, ...rest));
process.env.PRISMA_HIDE_UPDATE_MESSAGE ??= '1';
require('prisma/build/index.js');
