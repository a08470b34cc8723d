import { dirname, join } from 'node:path';

/** The files of GraphiQL: the name they are served under, and their path in the package. */
const assetLocations = {
  'react.js': ['react', 'umd/react.production.min.js'],
  'react-dom.js': ['react-dom', 'umd/react-dom.production.min.js'],
  'graphiql.js': ['graphiql', 'graphiql.min.js'],
  'graphiql.css': ['graphiql', 'graphiql.min.css'],
} as const;

/**
 * The files by name; undefined if the packages are not installed: they are development dependencies, and production has
 * no explorer.
 */
export function findGraphiqlAssets(): ReadonlyMap<string, string> | undefined {
  try {
    return new Map(
      Object.entries(assetLocations).map(([name, [packageName, path]]) => [
        name,
        join(dirname(require.resolve(`${packageName}/package.json`)), path),
      ]),
    );
  } catch {
    return undefined;
  }
}
