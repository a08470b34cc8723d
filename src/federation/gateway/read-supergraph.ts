import { setImmediate } from 'node:timers/promises';
import type { DocumentNode, GraphQLSchema } from 'graphql';
import { parse } from 'graphql';
import type { ScalarParsers } from '../supergraph/public-schema';
import { publicSchema } from '../supergraph/public-schema';

/** A supergraph in the forms in which it is used. */
export interface ReadSupergraph {
  readonly document: DocumentNode;
  /** The schema for clients. */
  readonly schema: GraphQLSchema;
}

/**
 * Parses a supergraph and creates its public schema. A large one takes some 100 ms per step; between steps, it yields
 * to the event loop.
 * @throws Error when the SDL is not a supergraph.
 */
export async function readSupergraph(supergraphSdl: string, scalars: ScalarParsers): Promise<ReadSupergraph> {
  const document = parse(supergraphSdl, { noLocation: true });
  await setImmediate();
  const schema = publicSchema(document, scalars);
  await setImmediate();
  return { document, schema };
}
