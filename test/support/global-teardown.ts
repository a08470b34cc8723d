/** What the setups have to take back, in the order in which it was made. */
export const finishTestRun: (() => Promise<void>)[] = [];

/** Takes it back, once: in `--watch` the next run begins with an empty list. */
export default async function globalTeardown(): Promise<void> {
  for (const finish of finishTestRun.splice(0).reverse()) await finish();
}
