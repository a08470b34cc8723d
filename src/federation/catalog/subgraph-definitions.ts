import type {
  ConstDirectiveNode,
  DefinitionNode,
  DocumentNode,
  FieldDefinitionNode,
  ObjectTypeDefinitionNode,
  ValueNode,
} from 'graphql';
import { Kind, parse, print, valueFromASTUntyped, visit } from 'graphql';
import { namedType } from '../named-type';
import type { ScopeRequirement } from '../../graph/requires-scopes';
import { everyCombination } from '../supergraph/scope-requirements';

/** One graph in the two forms that federation needs, both derived from the single definition of its types. */
export interface SubgraphDefinitions {
  /** For execution: scopes are on the types, so that each object has one guard and its fields have none. */
  readonly executable: string;
  /** For composition: scopes are on the fields. */
  readonly published: string;
}

const link = parse(
  'extend schema @link(url: "https://specs.apollo.dev/federation/v2.7", import: ["@key", "@shareable", "@requiresScopes"])',
  { noLocation: true },
).definitions;

/** Types without identity: other subgraphs may define the same, and most of those with pagination do. */
const valueTypes: ReadonlySet<string> = new Set(['PageInfo', 'VariantOption']);

/**
 * Converts a schema to a Federation 2 subgraph: every type that implements Node becomes an entity with the key `id`,
 * and types that only hold values may be defined by other subgraphs, too.
 *
 * A composed graph treats a scope on a type as one on each of its fields, `id` included, and refuses `Node.id` to
 * callers that lack the scope of any node type. So the published SDL has the scopes on the fields that lead to the type
 * and on the type's own fields, and none on its key.
 */
export function toSubgraphDefinitions(sdl: string): SubgraphDefinitions {
  const document = parse(sdl, { noLocation: true });
  const executable: DocumentNode = {
    kind: Kind.DOCUMENT,
    definitions: [...link, ...document.definitions.map((node) => (isObject(node) ? withFederationRole(node) : node))],
  };
  return { executable: print(executable), published: print(withScopesAtFields(executable)) };
}

function withFederationRole(type: ObjectTypeDefinitionNode): ObjectTypeDefinitionNode {
  const directives = type.directives ?? [];
  if (type.interfaces?.some(({ name }) => name.value === 'Node')) {
    return { ...type, directives: [directive('@key(fields: "id")'), ...directives] };
  }
  return valueTypes.has(type.name.value) ? { ...type, directives: [...directives, directive('@shareable')] } : type;
}

function withScopesAtFields(document: DocumentNode): DocumentNode {
  const ofType = new Map(
    document.definitions.filter(isObject).map((type) => [type.name.value, requirementsAt(type)] as const),
  );
  return visit(document, {
    // Replaced by Federation's own definition when the subgraphs are composed.
    DirectiveDefinition: ({ name }) => (name.value === 'requiresScopes' ? null : undefined),
    ObjectTypeDefinition: (type) => ({
      ...type,
      directives: type.directives?.filter(isOther) ?? [],
      fields: type.fields?.map((field) =>
        withScopes(field, [
          ...(isKeyOf(type, field) ? [] : (ofType.get(type.name.value) ?? [])),
          ...requirementsAt(field),
          ...(ofType.get(namedType(field.type)) ?? []),
        ]),
      ),
    }),
  });
}

function withScopes(field: FieldDefinitionNode, requirements: readonly ScopeRequirement[]): FieldDefinitionNode {
  const [first, ...others] = requirements;
  if (first === undefined) return field;
  const scopes = distinct(others.reduce<ScopeRequirement>(everyCombination, first));
  const directives = field.directives?.filter(isOther) ?? [];
  return { ...field, directives: [...directives, directive(`@requiresScopes(scopes: ${JSON.stringify(scopes)})`)] };
}

const distinct = (alternatives: ScopeRequirement): ScopeRequirement => [
  ...new Map(alternatives.map((set) => [set.join(), set])).values(),
];

type Annotated = Pick<FieldDefinitionNode, 'directives'>;

const requirementsAt = ({ directives = [] }: Annotated): readonly ScopeRequirement[] =>
  directives
    .filter((node) => !isOther(node))
    .map((node) => valueFromASTUntyped(node.arguments?.[0]?.value as ValueNode) as ScopeRequirement);

const isOther = ({ name }: ConstDirectiveNode): boolean => name.value !== 'requiresScopes';

const isKeyOf = (type: ObjectTypeDefinitionNode, field: FieldDefinitionNode): boolean =>
  field.name.value === 'id' && (type.directives?.some(({ name }) => name.value === 'key') ?? false);

const isObject = (node: DefinitionNode): node is ObjectTypeDefinitionNode => node.kind === Kind.OBJECT_TYPE_DEFINITION;

/** Parses a directive. */
function directive(text: string): ConstDirectiveNode {
  const [definition] = parse(`scalar X ${text}`, { noLocation: true }).definitions;
  if (definition?.kind !== Kind.SCALAR_TYPE_DEFINITION || definition.directives?.[0] === undefined) {
    throw new Error(`Expected a directive, got ${text}.`);
  }
  return definition.directives[0];
}
