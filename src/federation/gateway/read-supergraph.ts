import { setImmediate } from 'node:timers/promises';
import type { DocumentNode, GraphQLSchema } from 'graphql';
import { parse, print } from 'graphql';
import { canonicalSupergraph } from '../supergraph/canonical-supergraph';
import type { ScalarParsers } from '../supergraph/public-schema';
import { publicSchema } from '../supergraph/public-schema';

/** A supergraph in the forms in which it is used. */
export interface ReadSupergraph {
  /** With all elements of specifications under their own names (canonicalSupergraph). */
  readonly document: DocumentNode;
  /** The document's text, for the planner. */
  readonly sdl: string;
  /** The schema for clients. */
  readonly schema: GraphQLSchema;
}

/**
 * Parses a supergraph and creates its public schema.
 * @throws Error when the SDL is not a supergraph, or one that must not be served.
 */
export function readSupergraph(supergraphSdl: string, scalars: ScalarParsers = {}): ReadSupergraph {
  const steps = readInSteps(supergraphSdl, scalars);
  for (;;) {
    const { done, value } = steps.next();
    if (done === true) return value;
  }
}

/** As readSupergraph. A large supergraph takes some 100 ms per step; between steps, it yields to the event loop. */
export async function readSupergraphInTurns(supergraphSdl: string, scalars: ScalarParsers): Promise<ReadSupergraph> {
  const steps = readInSteps(supergraphSdl, scalars);
  for (;;) {
    const { done, value } = steps.next();
    if (done === true) return value;
    await setImmediate();
  }
}

function* readInSteps(supergraphSdl: string, scalars: ScalarParsers): Generator<undefined, ReadSupergraph> {
  const given = parse(supergraphSdl, { noLocation: true });
  yield;
  const document = canonicalSupergraph(given);
  const sdl = document === given ? supergraphSdl : print(document);
  yield;
  return { document, sdl, schema: publicSchema(document, scalars) };
}
