/**
 * For processes that get a separate environment: the sources that others of this run have compiled (global-setup.ts).
 */
export const compiledBefore: Readonly<Record<string, string>> = Object.fromEntries(
  ['NODE_COMPILE_CACHE', 'TEST_COMPILED'].flatMap((name) => {
    const value = process.env[name];
    return value === undefined ? [] : [[name, value]];
  }),
);
