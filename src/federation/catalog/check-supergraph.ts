import type { DocumentNode } from 'graphql';
import { parse, validate } from 'graphql';
import { readScopeRequirements } from '../supergraph/scope-requirements';
import { canonicalSupergraph } from '../supergraph/canonical-supergraph';
import { publicSchema } from '../supergraph/public-schema';
import { catalogPartProblems } from './check-catalog-part';

/** Requirements for a supergraph that includes the catalog. */
export interface CatalogRules {
  /** The SDL that the catalog publishes. */
  readonly catalogSdl: string;
  /** Documents that must stay valid, whatever other subgraphs add to the graph. */
  readonly documents: Readonly<Record<string, string>>;
}

/** In one message, for the log. */
const maxListedProblems = 10;

/**
 * Checks whether the gateway can serve a supergraph, and what a supergraph must not change: the operations of the REST
 * API, and the catalog's part of the graph.
 * @throws Error that lists what would change, or with the reason why it cannot be served.
 */
export function checkSupergraph(
  given: DocumentNode,
  { catalogSdl, documents }: CatalogRules,
  isComposedHere: boolean,
): void {
  const supergraph = canonicalSupergraph(given);
  readScopeRequirements(supergraph);
  const schema = publicSchema(supergraph);
  const broken = Object.entries(documents).flatMap(([name, source]) => {
    const [error] = validate(schema, parse(source, { noLocation: true }));
    return error === undefined ? [] : [`${name}: ${error.message}`];
  });
  if (broken.length > 0) throw new Error(`operations of the REST API would break: ${broken.join('; ')}`);
  const problems = catalogPartProblems(supergraph, parse(catalogSdl, { noLocation: true }), isComposedHere);
  if (problems.length === 0) return;
  const more = problems.length - maxListedProblems;
  const list = `${problems.slice(0, maxListedProblems).join('; ')}${more > 0 ? `; and ${more} more` : ''}`;
  throw new Error(`the catalog's part of the graph would change: ${list}`);
}
