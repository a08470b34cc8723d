/** What global-setup.ts has to take back, in the order in which it was made. */
export const finishTestRun: (() => Promise<void>)[] = [];

export default async function globalTeardown(): Promise<void> {
  for (const finish of finishTestRun.reverse()) await finish();
}
