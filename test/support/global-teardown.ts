/** Cleanup of the setups, in the order of creation. */
export const finishTestRun: (() => Promise<unknown>)[] = [];

/** Runs the cleanup once: in `--watch`, the next run begins with an empty list. */
export default async function globalTeardown(): Promise<void> {
  for (const finish of finishTestRun.splice(0).reverse()) await finish();
}
