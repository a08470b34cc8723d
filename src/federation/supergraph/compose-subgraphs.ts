import type { DocumentNode } from 'graphql';
import { buildASTSchema, parse, print, validateSchema } from 'graphql';
import { composeServices, compositionHasErrors } from '@theguild/federation-composition';
import { shorten, toOneLine } from '../../common/one-line';
import { readRequirements } from './scope-requirements';
import { describeSdlFailure } from '../../common/serve-requests';
import { completeSupergraph } from './complete-supergraph';
import { expandRequired } from './expand-required';
import { prepareSubgraph } from './prepare-subgraph';
import { readSubgraphTypes } from './subgraph-types';

export interface SubgraphDefinition {
  readonly name: string;
  readonly url: string;
  readonly sdl: string;
}

/** In one message, for the log. */
const maxListedProblems = 20;
const maxProblemCharacters = 1000;

/** Subgraphs that do not compose. The message is for the operators of the gateway, one line per problem. */
export class CompositionError extends Error {
  override readonly name = 'CompositionError';

  constructor(readonly problems: readonly string[]) {
    const lines = problems
      .slice(0, maxListedProblems)
      .map((problem) => `  ${shorten(toOneLine(problem), maxProblemCharacters)}`);
    if (problems.length > lines.length) lines.push(`  and ${problems.length - lines.length} more`);
    super(`The subgraphs do not compose:\n${lines.join('\n')}`);
  }
}

/** A composition that needs more time or memory than is available. A retry would cost as much. */
export class UnaffordableComposition extends Error {
  override readonly name = 'UnaffordableComposition';
}

/**
 * Composes subgraphs into a supergraph.
 * @returns the supergraph's SDL
 * @throws CompositionError that lists every problem, each with its code.
 */
export function composeSubgraphs(subgraphs: readonly SubgraphDefinition[]): string {
  const services = subgraphs.map(({ name, url, sdl }) => ({ name, url, ...readSubgraph(name, sdl) }));
  const result = compose(services.map(({ name, url, typeDefs }) => ({ name, url, typeDefs })));
  if (compositionHasErrors(result)) {
    throw new CompositionError(
      result.errors.map(({ message, extensions }) =>
        typeof extensions['code'] === 'string' ? `${extensions['code']}: ${message}` : message,
      ),
    );
  }
  const { supergraphDocumentNode: composed } = result;
  const completed = completeSupergraph(composed, new Map(services.map(({ name, types }) => [name, types])));
  if (completed !== undefined) checkTypes(completed);
  const supergraphSdl = completed === undefined ? result.supergraphSdl : print(completed);
  if (/\brequires: "/.test(supergraphSdl)) checkRequired(completed ?? composed);
  return supergraphSdl;
}

function readSubgraph(name: string, sdl: string) {
  try {
    const prepared = prepareSubgraph(parse(sdl, { noLocation: true }));
    const types = readSubgraphTypes(prepared);
    return { types, typeDefs: expandRequired(prepared, types) };
  } catch (thrown) {
    throw new CompositionError([`[${name}] ${describeSdlFailure(thrown)}`]);
  }
}

/** Rejects invalid GraphQL, such as an interface whose field has a narrower type than an implementation's. */
function checkTypes(supergraph: DocumentNode): void {
  const problems = validateSchema(buildASTSchema(supergraph, { assumeValidSDL: true }));
  if (problems.length > 0) throw new CompositionError(problems.map(({ message }) => `INVALID_GRAPHQL: ${message}`));
}

/** The composer reports most mistakes but throws on some that it does not expect. */
function compose(services: Parameters<typeof composeServices>[0]) {
  try {
    return composeServices(services);
  } catch (thrown) {
    throw new CompositionError([describeSdlFailure(thrown)]);
  }
}

/**
 * The composer overlooks the `@requires` of an `@interfaceObject`: a field that anyone may see must not be derived from
 * one that is protected.
 */
function checkRequired(supergraph: DocumentNode): void {
  let problems: readonly string[];
  try {
    problems = readRequirements(supergraph).missing.map(
      ({ field, required }) =>
        `MISSING_TRANSITIVE_AUTH_REQUIREMENTS: ${field} @requires ${required}; expected it to have the same @authenticated, @requiresScopes and @policy`,
    );
  } catch (thrown) {
    throw new CompositionError([describeSdlFailure(thrown)]);
  }
  if (problems.length > 0) throw new CompositionError(problems);
}
