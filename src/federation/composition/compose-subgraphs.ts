import { parse } from 'graphql';
import { composeServices, compositionHasErrors } from '@theguild/federation-composition';
import { toOneLine } from '../../common/one-line';
import { readRequirements } from '../authorization/scope-requirements';
import { reasonOf } from '../reason-of';
import { prepareSubgraph } from './prepare-subgraph';

export interface SubgraphDefinition {
  readonly name: string;
  readonly url: string;
  readonly sdl: string;
}

/** In a message, which goes to the log. */
const maxListedProblems = 20;
const maxProblemCharacters = 1000;

const shortened = (problem: string): string => {
  const line = toOneLine(problem);
  return line.length > maxProblemCharacters ? `${line.slice(0, maxProblemCharacters)}…` : line;
};

/** Subgraphs that do not compose. The message is for the operators of the gateway, one line per problem. */
export class CompositionError extends Error {
  override readonly name = 'CompositionError';

  constructor(readonly problems: readonly string[]) {
    const lines = problems.slice(0, maxListedProblems).map((problem) => `  ${shortened(problem)}`);
    if (problems.length > lines.length) lines.push(`  and ${problems.length - lines.length} more`);
    super(`The subgraphs do not compose:\n${lines.join('\n')}`);
  }
}

/** A composition that needs more time or memory than is available. A retry would cost as much. */
export class HopelessComposition extends Error {
  override readonly name = 'HopelessComposition';
}

/**
 * Composes subgraphs into a supergraph.
 * @returns the supergraph's SDL
 * @throws CompositionError that lists every problem, each with its code.
 */
export function composeSubgraphs(subgraphs: readonly SubgraphDefinition[]): string {
  const services = subgraphs.map(({ name, url, sdl }) => ({ name, url, typeDefs: parseSdl(name, sdl) }));
  const result = compose(services);
  if (!compositionHasErrors(result)) {
    checkRequired(result.supergraphSdl);
    return result.supergraphSdl;
  }
  throw new CompositionError(
    result.errors.map(({ message, extensions }) =>
      typeof extensions['code'] === 'string' ? `${extensions['code']}: ${message}` : message,
    ),
  );
}

function parseSdl(name: string, sdl: string) {
  try {
    return prepareSubgraph(parse(sdl, { noLocation: true }));
  } catch (thrown) {
    throw new CompositionError([`[${name}] ${reasonOf(thrown)}`]);
  }
}

/** The composer reports most mistakes but throws on some that it does not expect. */
function compose(services: Parameters<typeof composeServices>[0]) {
  try {
    return composeServices(services);
  } catch (thrown) {
    throw new CompositionError([reasonOf(thrown)]);
  }
}

/**
 * The composer overlooks the `@requires` of an `@interfaceObject`: a field that anyone may see must not be derived from
 * one that is protected.
 */
function checkRequired(supergraphSdl: string): void {
  if (!/\brequires: "/.test(supergraphSdl)) return;
  let problems: readonly string[];
  try {
    problems = readRequirements(parse(supergraphSdl, { noLocation: true })).missing.map(
      ({ field, required }) =>
        `MISSING_TRANSITIVE_AUTH_REQUIREMENTS: ${field} @requires ${required}; expected it to have the same @authenticated, @requiresScopes and @policy`,
    );
  } catch (thrown) {
    throw new CompositionError([reasonOf(thrown)]);
  }
  if (problems.length > 0) throw new CompositionError(problems);
}
