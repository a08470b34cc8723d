import type {
  ASTNode,
  ConstDirectiveNode,
  DefinitionNode,
  DocumentNode,
  NameNode,
  SchemaDefinitionNode,
  SchemaExtensionNode,
} from 'graphql';
import { isTypeDefinitionNode, isTypeExtensionNode, Kind, visit } from 'graphql';
import type { LinkedFeature } from '../linked-features';
import { readLinkedFeatures, specsOrigin } from '../linked-features';
import { argumentOf, toSchemaDefinition, withArguments } from '../sdl-nodes';

/** The supported features, and their versions, in which elements have the same meaning. */
const understood: Readonly<Record<string, readonly string[]>> = {
  core: ['v0.1', 'v0.2'],
  link: ['v1.0'],
  join: ['v0.2', 'v0.3', 'v0.4', 'v0.5', 'v0.6'],
  inaccessible: ['v0.1', 'v0.2'],
  tag: ['v0.1', 'v0.2', 'v0.3'],
  authenticated: ['v0.1'],
  requiresScopes: ['v0.1'],
  policy: ['v0.1'],
};

/** Directives that decide what a caller may see, by their canonical names. */
const authorizing: ReadonlySet<string> = new Set(['authenticated', 'requiresScopes', 'policy']);

/** The places at which these directives are defined, and enforced. */
const authorizedKinds: ReadonlySet<Kind> = new Set([
  Kind.OBJECT_TYPE_DEFINITION,
  Kind.INTERFACE_TYPE_DEFINITION,
  Kind.SCALAR_TYPE_DEFINITION,
  Kind.ENUM_TYPE_DEFINITION,
  Kind.FIELD_DEFINITION,
  Kind.DIRECTIVE_DEFINITION,
]);

/**
 * Gives the elements of every linked feature their own names: `@private` that is imported for `@inaccessible` becomes
 * `@inaccessible`, `@j__type` of a join linked `as: "j"` becomes `@join__type`. Everything after this step compares
 * names. So a supergraph whose names cannot be resolved, or which needs an unsupported feature, is refused: an
 * overlooked rule would expose what it protects.
 * @returns the same document when all names are the features' own
 * @throws Error with the reason why the supergraph is refused.
 */
export function canonicalSupergraph(supergraph: DocumentNode): DocumentNode {
  const features = readLinkedFeatures(supergraph);
  for (const feature of features) refuseUnknown(feature);
  const names = createNames(features);
  // The planner reads only one schema definition, and no extension.
  let isRenamed = supergraph.definitions.some(({ kind }) => kind === Kind.SCHEMA_EXTENSION);
  /** The node under its canonical name; undefined leaves it as it is. */
  function rename<Node extends { readonly name: NameNode }>(node: Node, canonical: string): Node | undefined {
    if (canonical === node.name.value) return undefined;
    isRenamed = true;
    return { ...node, name: { ...node.name, value: canonical } };
  }
  const directives = new Set<string>();
  const types = new Set<string>();
  const document = visit(supergraph, {
    enter(node) {
      if (isTypeExtensionNode(node)) {
        throw new Error(`expected a definition of ${node.name.value}, got an extension, which composers never write`);
      }
      if ('directives' in node && node.directives !== undefined) checkLocations(node, names);
      if (node.kind === Kind.DIRECTIVE_DEFINITION) {
        const canonical = names.directive(node.name.value);
        if (isTaken(directives, canonical)) throw new Error(`@${canonical} is defined more than once`);
        return rename(node, canonical);
      }
      if (isTypeDefinitionNode(node)) {
        const canonical = names.type(node.name.value);
        if (isTaken(types, canonical)) throw new Error(`${canonical} is defined more than once`);
        return rename(node, canonical);
      }
      if (node.kind === Kind.NAMED_TYPE) return rename(node, names.type(node.name.value));
      if (node.kind !== Kind.DIRECTIVE) return undefined;
      const canonical = names.directive(node.name.value);
      if (canonical === 'join__field') refuseContext(node as ConstDirectiveNode);
      return rename(node, canonical);
    },
  });
  return isRenamed ? withPlainLinks(document, features) : supergraph;
}

function refuseUnknown({ url, identity, version, purpose }: LinkedFeature): void {
  const name = specName(identity);
  if (name === 'context') throw new Error(`${url}: @context and @fromContext are not supported`);
  const versions = name === undefined ? undefined : understood[name];
  if (versions === undefined) {
    if (purpose === undefined) return;
    throw new Error(`the feature ${url} is linked for ${purpose} but is not supported`);
  }
  if (version === undefined || !versions.includes(version)) {
    throw new Error(`${url}: expected ${name} version ${versions.join(' or ')}`);
  }
}

/** The name of a Federation feature, if it is known here, whether supported or refused. */
function specName(identity: string): string | undefined {
  const name = identity.startsWith(`${specsOrigin}/`) ? identity.slice(specsOrigin.length + 1) : '';
  return name === 'context' || Object.hasOwn(understood, name) ? name : undefined;
}

interface Names {
  /** The canonical name of a directive, by its name in the supergraph; without `@`. */
  readonly directive: (local: string) => string;
  readonly type: (local: string) => string;
}

/** @throws Error when a name could stand for two things. */
function createNames(features: readonly LinkedFeature[]): Names {
  const imported = new Map<string, string>();
  const namespaces = new Map<string, string>();
  for (const { identity, namespace, imports, url } of features) {
    const name = specName(identity);
    if (namespace !== undefined) {
      // Elements of other features have no canonical names here; they just must not be mistaken for known ones.
      const known = namespaces.get(namespace);
      const own = name ?? identity;
      if (known !== undefined && known !== own)
        throw new Error(`${url}: the name ${namespace} is also used by ${known}`);
      namespaces.set(namespace, own);
    }
    for (const [local, element] of imports) {
      const own = name === undefined ? `${element} of ${identity}` : elementName(name, element);
      const known = imported.get(local);
      if (known !== undefined && known !== own) throw new Error(`${url}: the name ${local} is also used by ${known}`);
      imported.set(local, own);
    }
  }

  function resolve(local: string, sign: '@' | ''): string {
    const own = imported.get(`${sign}${local}`) ?? fromNamespace(local, sign);
    if (own === undefined) return local;
    if (!/[ /]/.test(own)) return own.replace(/^@/, '');
    // Another feature keeps its names, unless they belong to a supported one.
    if (isReserved(local)) throw new Error(`${sign}${local} belongs to ${own}; link it under another name`);
    return local;
  }

  function fromNamespace(local: string, sign: '@' | ''): string | undefined {
    const [, prefix = local, element] = /^(.+?)__(.+)$/.exec(local) ?? [];
    const own = namespaces.get(prefix);
    if (own === undefined || (element === undefined && sign === '')) return undefined;
    if (own.includes('/')) return own;
    return element === undefined ? own : `${own}__${element}`;
  }

  return { directive: (local) => resolve(local, '@'), type: (local) => resolve(local, '') };
}

/** `@inaccessible` of inaccessible is `@inaccessible`, `@type` of join is `@join__type`. */
const elementName = (feature: string, element: string): string =>
  element === `@${feature}`
    ? element
    : element.startsWith('@')
      ? `@${feature}__${element.slice(1)}`
      : `${feature}__${element}`;

/** Whether a name has a meaning here, linked or not. */
const isReserved = (name: string): boolean => Object.hasOwn(understood, name.split('__')[0] ?? name);

function isTaken(names: Set<string>, name: string): boolean {
  const { size } = names;
  return names.add(name).size === size;
}

/** @throws Error for a rule at a place where it is not enforced. */
function checkLocations(node: ASTNode & { readonly directives?: readonly unknown[] }, names: Names): void {
  if (authorizedKinds.has(node.kind)) return;
  for (const { name } of node.directives as readonly ConstDirectiveNode[]) {
    const canonical = names.directive(name.value);
    if (!authorizing.has(canonical)) continue;
    throw new Error(`@${name.value} is not supported: expected it on a type or a field, got it on ${node.kind}`);
  }
}

function refuseContext(join: ConstDirectiveNode): void {
  const value = argumentOf(join, 'contextArguments');
  if (value === undefined || value.kind === Kind.NULL || (value.kind === Kind.LIST && value.values.length === 0))
    return;
  throw new Error('a field has contextArguments: @context and @fromContext are not supported');
}

/** One schema definition with all links, to features whose elements now have their canonical names. */
function withPlainLinks(document: DocumentNode, features: readonly LinkedFeature[]): DocumentNode {
  const byUrl = new Map(features.map((feature) => [feature.url, feature]));
  const schema: SchemaDefinitionNode = {
    ...toSchemaDefinition(document, document),
    directives: document.definitions
      .filter(isSchema)
      .flatMap(({ directives = [] }) => directives.map((one) => plainLink(one, byUrl))),
  };
  return { ...document, definitions: [schema, ...document.definitions.filter((definition) => !isSchema(definition))] };
}

const isSchema = (definition: DefinitionNode): definition is SchemaDefinitionNode | SchemaExtensionNode =>
  definition.kind === Kind.SCHEMA_DEFINITION || definition.kind === Kind.SCHEMA_EXTENSION;

function plainLink(directive: ConstDirectiveNode, byUrl: ReadonlyMap<string, LinkedFeature>): ConstDirectiveNode {
  const url = directive.arguments?.find(({ value }) => value.kind === Kind.STRING && byUrl.has(value.value))?.value;
  const feature = url?.kind === Kind.STRING ? byUrl.get(url.value) : undefined;
  if (feature === undefined || specName(feature.identity) === undefined) return directive;
  return withArguments(directive, { as: undefined, import: undefined });
}
