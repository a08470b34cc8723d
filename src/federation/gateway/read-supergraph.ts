import { setImmediate } from 'node:timers/promises';
import type { DocumentNode, GraphQLSchema } from 'graphql';
import { parse, print } from 'graphql';
import type { AnswerTypes } from '../answer/answer-types';
import { readAnswerTypes } from '../answer/answer-types';
import { canonicalSupergraph } from '../supergraph/canonical-supergraph';
import type { ScalarParsers } from '../supergraph/public-schema';
import { publicSchema } from '../supergraph/public-schema';

/** A supergraph in the forms in which it is used. */
export interface ReadSupergraph {
  /** As it was given. */
  readonly given: string;
  /** With all elements of specifications under their own names (canonicalSupergraph). */
  readonly document: DocumentNode;
  /** The document's text, for the planner. */
  readonly sdl: string;
  /** The schema for clients. */
  readonly schema: GraphQLSchema;
  readonly types: AnswerTypes;
}

/**
 * Reads a supergraph. A large one takes some 100 ms per step; between steps, it yields to the event loop.
 * @param scalars Custom scalars whose values are checked; the values of others are passed through.
 * @throws Error when the SDL is not a supergraph, or one that must not be served.
 */
export async function readSupergraph(given: string, scalars: ScalarParsers): Promise<ReadSupergraph> {
  const parsed = parse(given, { noLocation: true });
  await setImmediate();
  const document = canonicalSupergraph(parsed);
  const sdl = document === parsed ? given : print(document);
  await setImmediate();
  const schema = publicSchema(document, scalars);
  await setImmediate();
  return { given, document, sdl, schema, types: readAnswerTypes(document, scalars) };
}
