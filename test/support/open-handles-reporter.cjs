const graceMilliseconds = 20_000;

/** Ends a finished run that something keeps alive, as a failure that says what. A build must neither hang nor pass over it. */
module.exports = class OpenHandlesReporter {
  onRunComplete() {
    const giveUp = () => {
      process.stderr.write(
        `After the last test these are still open: ${process.getActiveResourcesInfo().join(', ')}\n`,
      );
      process.exit(1);
    };
    globalThis.setTimeout(giveUp, graceMilliseconds).unref();
  }
};
