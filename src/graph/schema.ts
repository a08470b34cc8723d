import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { GraphQLSchema } from 'graphql';
import { makeExecutableSchema } from '@graphql-tools/schema';
import { resolvers } from '../catalog/resolvers';
import { projectRoot } from '../common/project-root';
import { scalars } from './scalars';
import { enforceScopes } from './requires-scopes';

/** schema.graphql as text: the only definition of the types. */
export const readTypeDefinitions = (): string => readFileSync(join(projectRoot, 'schema.graphql'), 'utf8');

/**
 * The executable schema: the types of schema.graphql, the resolvers of src/catalog/, and the scope guards before them.
 */
export function createSchema(): GraphQLSchema {
  return enforceScopes(
    makeExecutableSchema({
      typeDefs: readTypeDefinitions(),
      resolvers: [scalars, ...resolvers],
      // npm run compatibility and the tests validate it, so a start need not.
      assumeValidSDL: true,
    }),
  );
}
