import type { ConstDirectiveNode } from 'graphql';
import { Kind, parse, print, visit } from 'graphql';

/**
 * Gives everything that a subgraph defines a tag of its own, so that a contract can name it. Fields, and not the types
 * that have them: to a type other subgraphs add fields.
 */
export function tagAll(sdl: string, tag: string): string {
  const directive: ConstDirectiveNode = {
    kind: Kind.DIRECTIVE,
    name: { kind: Kind.NAME, value: 'federation__tag' },
    arguments: [
      { kind: Kind.ARGUMENT, name: { kind: Kind.NAME, value: 'name' }, value: { kind: Kind.STRING, value: tag } },
    ],
  };
  const enter = <Node extends { readonly directives?: readonly ConstDirectiveNode[] }>(node: Node): Node => ({
    ...node,
    directives: [...(node.directives ?? []), directive],
  });
  return print(
    visit(parse(sdl, { noLocation: true }), {
      FieldDefinition: enter,
      EnumValueDefinition: enter,
      InputObjectTypeDefinition: enter,
      ScalarTypeDefinition: enter,
      UnionTypeDefinition: enter,
    }),
  );
}
