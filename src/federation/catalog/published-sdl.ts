import type {
  ConstDirectiveNode,
  DefinitionNode,
  FieldDefinitionNode,
  ObjectTypeDefinitionNode,
  ScalarTypeDefinitionNode,
  ValueNode,
} from 'graphql';
import { Kind, parse, print, valueFromASTUntyped, visit } from 'graphql';
import { namedType } from '../sdl-nodes';
import type { ScopeRequirement } from '../../graph/requires-scopes';
import { everyCombination } from '../supergraph/scope-requirements';

const link =
  'extend schema @link(url: "https://specs.apollo.dev/federation/v2.7", import: ["@key", "@shareable", "@requiresScopes"])';

/** Types without identity, which other subgraphs may also define: most of those with pagination do. */
const valueTypes: ReadonlySet<string> = new Set(['PageInfo', 'VariantOption']);

/**
 * The SDL of a Federation 2 subgraph for a schema: every type that implements Node is an entity with the key `id`, and
 * types that only hold values may be defined by other subgraphs, too.
 *
 * A composed graph treats a scope on a type as one on each of its fields, `id` included, and refuses `Node.id` to
 * callers that lack the scope of any node type. So the published SDL has the scopes on the fields that lead to the type
 * and on the type's own fields, and none on its key.
 */
export function toPublishedSdl(sdl: string): string {
  const document = parse(sdl, { noLocation: true });
  const ofType = new Map(
    document.definitions.filter(isObject).map((type) => [type.name.value, requirementsAt(type)] as const),
  );
  const published = visit(document, {
    // Replaced by Federation's own definition when the subgraphs are composed.
    DirectiveDefinition: ({ name }) => (name.value === 'requiresScopes' ? null : undefined),
    ObjectTypeDefinition(type) {
      const isEntity = type.interfaces?.some(({ name }) => name.value === 'Node') ?? false;
      return {
        ...type,
        directives: [
          ...(isEntity ? [directive('@key(fields: "id")')] : []),
          ...(type.directives?.filter(isOther) ?? []),
          ...(valueTypes.has(type.name.value) ? [directive('@shareable')] : []),
        ],
        fields: type.fields?.map((field) =>
          withScopes(field, [
            ...(isEntity && field.name.value === 'id' ? [] : (ofType.get(type.name.value) ?? [])),
            ...requirementsAt(field),
            ...(ofType.get(namedType(field.type)) ?? []),
          ]),
        ),
      };
    },
  });
  return `${link}\n\n${print(published)}`;
}

function withScopes(field: FieldDefinitionNode, requirements: readonly ScopeRequirement[]): FieldDefinitionNode {
  const [first, ...others] = requirements;
  if (first === undefined) return field;
  const scopes = others.reduce<ScopeRequirement>(everyCombination, first);
  const directives = field.directives?.filter(isOther) ?? [];
  return { ...field, directives: [...directives, directive(`@requiresScopes(scopes: ${JSON.stringify(scopes)})`)] };
}

type Annotated = Pick<FieldDefinitionNode, 'directives'>;

const requirementsAt = ({ directives = [] }: Annotated): readonly ScopeRequirement[] =>
  directives
    .filter((node) => !isOther(node))
    .map((node) => valueFromASTUntyped(node.arguments?.[0]?.value as ValueNode) as ScopeRequirement);

const isOther = ({ name }: ConstDirectiveNode): boolean => name.value !== 'requiresScopes';

const isObject = (node: DefinitionNode): node is ObjectTypeDefinitionNode => node.kind === Kind.OBJECT_TYPE_DEFINITION;

/** Parses a directive. */
function directive(text: string): ConstDirectiveNode {
  const [holder] = parse(`scalar X ${text}`, { noLocation: true }).definitions as readonly ScalarTypeDefinitionNode[];
  return holder?.directives?.[0] as ConstDirectiveNode;
}
