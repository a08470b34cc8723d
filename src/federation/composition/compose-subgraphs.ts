import { parse } from 'graphql';
import { composeServices, compositionHasErrors } from '@theguild/federation-composition';
import { toOneLine } from '../../one-line';

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
  if (!compositionHasErrors(result)) return result.supergraphSdl;
  throw new CompositionError(
    result.errors.map(({ message, extensions }) =>
      typeof extensions['code'] === 'string' ? `${extensions['code']}: ${message}` : message,
    ),
  );
}

function parseSdl(name: string, sdl: string) {
  try {
    return parse(sdl, { noLocation: true });
  } catch (thrown) {
    throw new CompositionError([`[${name}] ${messageOf(thrown)}`]);
  }
}

/** The composer reports most mistakes but throws on some that it does not expect. */
function compose(services: Parameters<typeof composeServices>[0]) {
  try {
    return composeServices(services);
  } catch (thrown) {
    throw new CompositionError([messageOf(thrown)]);
  }
}

const messageOf = (thrown: unknown): string => (thrown instanceof Error ? thrown.message : String(thrown));
