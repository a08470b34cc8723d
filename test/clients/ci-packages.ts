import { join } from 'node:path';

/**
 * What is too large to be installed with every checkout, or needs a newer Node: `.ci/run` installs it beside, in
 * CLIENT_PACKAGES.
 */
const directory = process.env['CLIENT_PACKAGES'];

/** Tests with a package that only CI installs. */
export function findCiPackage(name: string) {
  if (directory === undefined)
    console.warn(`Not run: ${name}; .ci/run installs it and names the place in CLIENT_PACKAGES.`);
  return {
    it(title: string, test: (found: { readonly root: string }) => Promise<void>): void {
      (directory === undefined ? it.skip : it)(title, () =>
        test({ root: join(directory ?? '', 'node_modules', name) }),
      );
    },
  };
}
