const graceMilliseconds = 20_000;

/**
 * Ends a finished run that something keeps alive, as a failure that reports the cause. A build must neither hang nor
 * ignore it. A watch has further runs, and ends when its user says so.
 */
module.exports = class OpenHandlesReporter {
  constructor({ watch, watchAll }) {
    this.isWatching = watch || watchAll;
  }

  onRunComplete() {
    if (this.isWatching) return;
    const giveUp = () => {
      process.stderr.write(
        `After the last test these are still open: ${process.getActiveResourcesInfo().join(', ')}\n`,
      );
      process.exit(1);
    };
    globalThis.setTimeout(giveUp, graceMilliseconds).unref();
    // Nothing is open any more. Node 20 would now free its environment, and loops there forever
    // (Environment::CleanupHandles) if a connection was reset in a test's context; process.exit bypasses that.
    process.once('beforeExit', () => process.exit());
  }
};
