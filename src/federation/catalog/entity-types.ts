import type { ConstDirectiveNode, DefinitionNode, DocumentNode } from 'graphql';
import { Kind } from 'graphql';
import { argument } from './federation-link';

type Keyable = Extract<DefinitionNode, { readonly interfaces?: unknown }>;

const keyableKinds: ReadonlySet<string> = new Set([
  Kind.OBJECT_TYPE_DEFINITION,
  Kind.OBJECT_TYPE_EXTENSION,
  Kind.INTERFACE_TYPE_DEFINITION,
  Kind.INTERFACE_TYPE_EXTENSION,
]);

const isKeyable = (definition: DefinitionNode): definition is Keyable => keyableKinds.has(definition.kind);

const isObject = (definition: Keyable): boolean =>
  definition.kind === Kind.OBJECT_TYPE_DEFINITION || definition.kind === Kind.OBJECT_TYPE_EXTENSION;

/** `@key(resolvable: false)` only refers to an entity of another subgraph: this subgraph cannot be queried for it. */
export function isResolvableKey(directive: ConstDirectiveNode, keyName: string): boolean {
  const resolvable = argument(directive, 'resolvable')?.value;
  return directive.name.value === keyName && !(resolvable?.kind === Kind.BOOLEAN && !resolvable.value);
}

/** The object types in `_Entity`: those with a resolvable key, and those that implement an interface with one. */
export function entityTypeNames(document: DocumentNode, keyName: string): readonly string[] {
  const types = document.definitions.filter(isKeyable);
  const isKeyed = (type: Keyable) => type.directives?.some((directive) => isResolvableKey(directive, keyName)) ?? false;
  const keyedInterfaces = new Set(
    types.filter((type) => !isObject(type) && isKeyed(type)).map((type) => type.name.value),
  );
  const entities = types.filter(
    (type) =>
      isObject(type) && (isKeyed(type) || type.interfaces?.some((name) => keyedInterfaces.has(name.name.value))),
  );
  return [...new Set(entities.map((type) => type.name.value))].sort();
}
