import { parse } from 'graphql';
import { composeServices, compositionHasErrors } from '@theguild/federation-composition';

export interface SubgraphDefinition {
  readonly name: string;
  readonly url: string;
  readonly sdl: string;
}

/** Subgraphs that do not make a graph together. The message is for the people who run the gateway, a line per problem. */
export class CompositionError extends Error {
  override readonly name = 'CompositionError';

  constructor(readonly problems: readonly string[]) {
    super(`The subgraphs do not compose:\n${problems.map((problem) => `  ${problem}`).join('\n')}`);
  }
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

/** The composer reports most mistakes, but throws at some that it does not expect. */
function compose(services: Parameters<typeof composeServices>[0]) {
  try {
    return composeServices(services);
  } catch (thrown) {
    throw new CompositionError([messageOf(thrown)]);
  }
}

const messageOf = (thrown: unknown): string => (thrown instanceof Error ? thrown.message : String(thrown));
