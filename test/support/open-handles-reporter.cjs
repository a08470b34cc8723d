const graceMilliseconds = 20_000;

/** Fails a finished run that something keeps alive, and reports the cause. Not in watch mode, which the user ends. */
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
