import { setImmediate } from 'node:timers/promises';
import type { DocumentNode, GraphQLSchema } from 'graphql';
import { parse } from 'graphql';
import type { ScalarParsers } from '../supergraph/public-schema';
import { publicSchema } from '../supergraph/public-schema';

/** A supergraph in the forms that it is used in. */
export interface ReadSupergraph {
  readonly document: DocumentNode;
  /** What clients see. */
  readonly schema: GraphQLSchema;
}

/**
 * Parses a supergraph and makes its public schema. A large one takes some 100 ms for each step; in between, others have their turn.
 * @throws Error when the SDL is no supergraph.
 */
export async function readSupergraph(supergraphSdl: string, scalars: ScalarParsers): Promise<ReadSupergraph> {
  const document = parse(supergraphSdl, { noLocation: true });
  await setImmediate();
  const schema = publicSchema(document, scalars);
  await setImmediate();
  return { document, schema };
}
