/** The order of layers (src/README.md): a layer may import from the ones before it, never from the ones after it. */
const layers = [
  '^src/common/',
  '^src/privacy/',
  '^src/config/',
  '^src/errors/',
  '^src/observability/',
  '^src/relay/',
  '^src/database/',
  '^src/rate-limit/',
  '^src/auth/',
  '^src/catalog/',
  '^src/graph/',
  '^src/federation/',
  '^(rest|src/http)/',
  '^src/ingest/',
  '^src/demo/',
  '^src/(gateway-)?app\\.ts$',
  '^src/(main\\.ts$|process/)',
  '^src/cli/',
];

/** The same for the folders of src/http (src/http/README.md). */
const httpFolders = ['request', 'access', 'response', '(server|endpoints)'].map((folder) => `^src/http/${folder}/`);

/** The same for the shared parts of src/catalog. */
const catalogParts = [
  '^src/catalog/rows/',
  '^src/catalog/passthrough\\.ts$',
  '^src/catalog/.*(-(reader|resolvers)|/(product|variant|collection|order))\\.ts$',
];

/** The same for the folders of src/federation. Files directly in it are shared. */
const federationFolders = ['supergraph', 'answer', 'transport', 'source', 'plan', 'gateway', 'catalog'].map(
  (folder) => `^src/federation/${folder}/`,
);

/** The same for src/ingest. Files directly in it use the folders. */
const ingestFolders = [
  ...['values', 'source', 'formats', 'maps', 'write'].map((folder) => `^src/ingest/${folder}/`),
  '^src/ingest/[^/]+$',
  '^src/ingest/pull/',
];

const nothingLater = [layers, httpFolders, catalogParts, federationFolders, ingestFolders].flatMap((ordered) =>
  ordered.slice(0, -1).map((layer, index) => ({
    name: `nothing-later-than-${layer.replace(/[^a-z|]/g, '')}`,
    severity: 'error',
    from: { path: layer },
    to: { path: ordered.slice(index + 1) },
  })),
);

const onlyFrom = (name, to, from) => ({ name, severity: 'error', from: { pathNot: from }, to: { path: to } });

module.exports = {
  forbidden: [
    { name: 'no-circular-imports', severity: 'error', from: {}, to: { circular: true } },
    {
      name: 'no-orphans',
      severity: 'error',
      from: {
        orphan: true,
        pathNot: ['\\.d\\.ts$', '^src/http/endpoints/[^/]+/assets/', '^src/(main|cli/main|process/worker)\\.ts$'],
      },
      to: {},
    },
    {
      name: 'not-to-dev-dependencies',
      severity: 'error',
      from: { path: '^(src|rest)/' },
      // Type imports do not exist at run time.
      to: { dependencyTypes: ['npm-dev'], dependencyTypesNot: ['type-only'] },
    },
    {
      name: 'everything-has-a-layer',
      severity: 'error',
      from: { path: '^(src|rest)/', pathNot: [...layers, '^src/require-node\\.cjs$', '^src/database/generated/'] },
      to: {},
    },
    ...nothingLater,
    // Statements without a shop could be sent from there.
    onlyFrom(
      'statements-only-from-rows',
      '^src/catalog/rows/shop-statements\\.ts$',
      '^src/catalog/(rows/|catalog\\.ts$)',
    ),
    onlyFrom(
      'prisma-only-from-listed-paths',
      ['^src/database/generated', 'node_modules/(@prisma|prisma)/'],
      ['^src/database/', '^src/catalog/(rows/shop-tables|shop/shop-store)\\.ts$'],
    ),
    onlyFrom(
      'express-only-from-listed-paths',
      ['node_modules/express/'],
      ['^src/http/', '^rest/', '^src/(gateway-)?app\\.ts$'],
    ),
    {
      name: 'resolvers-do-not-read-the-database',
      severity: 'error',
      from: { path: '^src/catalog/.*resolvers\\.ts$' },
      to: { path: '^src/database/' },
    },
    {
      name: 'rest-only-maps',
      severity: 'error',
      from: { path: '^rest/' },
      to: {
        path: '^src/',
        pathNot: [
          '^src/errors/',
          '^src/graph/graph\\.ts$',
          '^src/auth/principal\\.ts$',
          '^src/http/',
          '^src/common/(project-root|public-url)\\.ts$',
        ],
      },
    },
  ],
  options: {
    // Imports of the generated client count; its own imports do not.
    doNotFollow: { path: 'node_modules|^src/database/generated/' },
    exclude: { path: '^(dist|src/http/vendor)/' },
    tsConfig: { fileName: 'tsconfig.json' },
    tsPreCompilationDeps: true,
    enhancedResolveOptions: { exportsFields: ['exports'], conditionNames: ['require', 'node', 'default', 'types'] },
  },
};
