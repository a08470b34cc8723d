/**
 * What CI may skip, and why: a pattern of the file and the test, and the reason. Everything else must run there.
 * @type {readonly (readonly [pattern: RegExp, reason: string, when?: boolean])[]}
 */
const allowed = [
  [/^test\/database\/citus\.slow/, 'Debian has no package of Citus; TEST_CITUS_URL runs them'],
  [
    /^test\/(?:database\/pooler|database\/start-up-options|export\/export-database)\..*(?:PgBouncer|pooler)/,
    'PgBouncer takes minutes to build; the night has it',
    process.env.PGBOUNCER === undefined,
  ],
  [/after pg_upgrade$/, 'the night has a run with the binaries of Debian', process.env.POSTGRES_BINARIES !== undefined],
];

/** In CI, a skipped test fails the run unless it is allowed. Prints the reasons of the allowed ones. */
module.exports = class SkippedTestsReporter {
  #error;

  constructor({ testNamePattern }) {
    // The option -t skips all other tests.
    this.pattern = testNamePattern ? new RegExp(testNamePattern, 'i') : undefined;
  }

  onRunComplete(_contexts, { testResults }) {
    if (process.env.CI !== 'true') return;
    const skipped = testResults.flatMap(({ testFilePath, testResults: tests }) =>
      tests
        .filter(({ status, fullName }) => status === 'pending' && (this.pattern?.test(fullName) ?? true))
        .map(({ fullName }) => `${testFilePath.replace(/.*\/test\//, 'test/')} ${fullName}`),
    );
    const reasonOf = (name) => allowed.find(([pattern, , when = true]) => when && pattern.test(name))?.[1];
    for (const name of skipped) process.stderr.write(`Skipped: ${name} (${reasonOf(name) ?? 'NOT ALLOWED in CI'})\n`);
    const wrong = skipped.filter((name) => reasonOf(name) === undefined);
    if (wrong.length > 0) this.#error = new Error(`${wrong.length} tests were skipped that CI must run.`);
  }

  getLastError() {
    return this.#error;
  }
};
