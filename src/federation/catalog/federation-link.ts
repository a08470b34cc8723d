import type { ConstArgumentNode, ConstDirectiveNode, ConstValueNode, DocumentNode } from 'graphql';
import { Kind } from 'graphql';

/** How a subgraph's SDL links the Federation specification: its minor version and the local names of its elements. */
export interface FederationLink {
  readonly minorVersion: number;
  /** The name of a federation element in this document: `@key` → `@key`, `@primaryKey` or `@federation__key`. */
  readonly nameOf: (element: string) => string;
}

const federationUrl = /^https:\/\/specs\.apollo\.dev\/federation\/v2\.(\d+)$/;

/**
 * Finds `@link(url: "https://specs.apollo.dev/federation/v2.…")` and parses its `as` and `import` arguments: imported
 * elements have their own or their new name, all others the namespace's prefix.
 * @returns undefined when the document is not a Federation 2 subgraph.
 */
export function parseFederationLink(document: DocumentNode): FederationLink | undefined {
  for (const directive of schemaDirectives(document)) {
    if (directive.name.value !== 'link') continue;
    const version = federationUrl.exec(textArgument(directive, 'url') ?? '')?.[1];
    if (version === undefined) continue;
    const namespace = textArgument(directive, 'as') ?? 'federation';
    const imports = parseImports(argument(directive, 'import')?.value);
    return {
      minorVersion: Number(version),
      nameOf: (element) =>
        imports.get(element) ??
        (element.startsWith('@') ? `@${namespace}__${element.slice(1)}` : `${namespace}__${element}`),
    };
  }
  return undefined;
}

/** A directive's argument by name. */
export const argument = (directive: ConstDirectiveNode, name: string): ConstArgumentNode | undefined =>
  directive.arguments?.find((candidate) => candidate.name.value === name);

/** A directive's argument when it is a string. */
export function textArgument(directive: ConstDirectiveNode, name: string): string | undefined {
  const value = argument(directive, name)?.value;
  return value?.kind === Kind.STRING ? value.value : undefined;
}

function schemaDirectives(document: DocumentNode): readonly ConstDirectiveNode[] {
  return document.definitions.flatMap((definition) =>
    definition.kind === Kind.SCHEMA_DEFINITION || definition.kind === Kind.SCHEMA_EXTENSION
      ? (definition.directives ?? [])
      : [],
  );
}

/** `["@key", { name: "@shareable", as: "@shared" }]` */
function parseImports(value: ConstValueNode | undefined): ReadonlyMap<string, string> {
  const imports = new Map<string, string>();
  for (const item of value?.kind === Kind.LIST ? value.values : []) {
    if (item.kind === Kind.STRING) imports.set(item.value, item.value);
    if (item.kind !== Kind.OBJECT) continue;
    const member = (key: string) => item.fields.find((field) => field.name.value === key)?.value;
    const name = member('name');
    const as = member('as');
    if (name?.kind === Kind.STRING) imports.set(name.value, as?.kind === Kind.STRING ? as.value : name.value);
  }
  return imports;
}
