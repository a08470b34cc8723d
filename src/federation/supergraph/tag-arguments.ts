import type { DocumentNode } from 'graphql';
import { visit } from 'graphql';
import type { SubgraphTypes } from './subgraph-types';

/**
 * Gives the arguments of a field its tags: the composer hides those of a field in a contract that have none of their
 * own.
 */
export function tagArguments(document: DocumentNode, { has }: SubgraphTypes): DocumentNode {
  return visit(document, {
    FieldDefinition({ directives, arguments: given = [], ...field }) {
      const tags = directives?.filter((directive) => has([directive], '@tag')) ?? [];
      if (tags.length === 0) return undefined;
      const tagged = given.map((argument) => ({ ...argument, directives: [...(argument.directives ?? []), ...tags] }));
      return { ...field, arguments: tagged, ...(directives !== undefined && { directives }) };
    },
  });
}
