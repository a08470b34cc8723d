/** For processes with a separate environment: the caches of sources that this run has compiled (global-setup.ts). */
export const compiledBefore: Readonly<Record<string, string>> = Object.fromEntries(
  ['NODE_COMPILE_CACHE', 'TEST_COMPILED'].flatMap((name) => {
    const value = process.env[name];
    return value === undefined ? [] : [[name, value]];
  }),
);
