const longestMilliseconds = 8_000;

/** Names fast files that took long, in one line: on an idle machine they belong to the slow ones. */
module.exports = class SlowFilesReporter {
  onRunComplete(_contexts, { testResults }) {
    const long = testResults
      .filter(({ testFilePath, perfStats }) => {
        return !/\.(slow|nightly)\.test\.ts$/.test(testFilePath) && perfStats.runtime > longestMilliseconds;
      })
      .sort((left, right) => right.perfStats.runtime - left.perfStats.runtime)
      .map(({ testFilePath, perfStats }) => {
        return `${testFilePath.replace(/.*\/test\//, 'test/')} (${Math.round(perfStats.runtime / 1000)} s)`;
      });
    if (long.length > 0) process.stderr.write(`Fast files that took over 8 s: ${long.join(', ')}\n`);
  }
};
