import type { DocumentNode, FieldNode } from 'graphql';
import { isTypeDefinitionNode } from 'graphql';
import type { ResponsePath } from './entity-targets';

/** The response key of a field in requests to subgraphs. */
export type PlanKey = (field: FieldNode) => string;

export const clientKey: PlanKey = ({ alias, name }) => alias?.value ?? name.value;

const prefix = 'alias_';

/**
 * Plans add keys and required fields to what the client requested, under their own names: `{ id: title }` would be
 * mistaken for the key. So an alias that is the name of any field gets a prefix, as does one that already begins with
 * the prefix.
 */
export function createPlanKeys(supergraph: DocumentNode): PlanKey {
  const names = new Set(
    supergraph.definitions.flatMap((definition) =>
      isTypeDefinitionNode(definition) && 'fields' in definition
        ? (definition.fields ?? []).map(({ name }) => name.value)
        : [],
    ),
  );
  return (field) => {
    const key = clientKey(field);
    const isOwn = key === field.name.value;
    const isTaken = key.startsWith(prefix) || (!isOwn && (key.startsWith('_') || names.has(key)));
    return isTaken ? `${prefix}${key}` : key;
  };
}

/** A path in the data of a plan as the client knows it. */
export const toClientPath = (path: ResponsePath): ResponsePath =>
  path.map((segment) =>
    typeof segment === 'string' && segment.startsWith(prefix) ? segment.slice(prefix.length) : segment,
  );
