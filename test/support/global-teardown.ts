/** What the setups have to undo, in the order in which it was created. */
export const finishTestRun: (() => Promise<void>)[] = [];

/** Undoes it, once: in `--watch` the next run begins with an empty list. */
export default async function globalTeardown(): Promise<void> {
  for (const finish of finishTestRun.splice(0).reverse()) await finish();
}
