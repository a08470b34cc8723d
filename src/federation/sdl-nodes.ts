import type { ConstDirectiveNode, ConstValueNode, TypeNode } from 'graphql';
import { Kind } from 'graphql';

/** A node of SDL that may have directives. */
export interface Annotated {
  readonly directives?: readonly ConstDirectiveNode[] | undefined;
}

/** The name of a type without its lists and its non-nulls. */
export const namedType = (type: TypeNode): string =>
  type.kind === Kind.NAMED_TYPE ? type.name.value : namedType(type.type);

/** The directives of a node that have a name. */
export const directivesOf = ({ directives = [] }: Annotated, name: string): readonly ConstDirectiveNode[] =>
  directives.filter((directive) => directive.name.value === name);

/** The value of a directive's argument. */
export const argumentOf = (directive: ConstDirectiveNode | undefined, name: string): ConstValueNode | undefined =>
  directive?.arguments?.find((argument) => argument.name.value === name)?.value;

/** A string or an enum value. */
export function textOf(directive: ConstDirectiveNode | undefined, name: string): string | undefined {
  const value = argumentOf(directive, name);
  return value?.kind === Kind.STRING || value?.kind === Kind.ENUM ? value.value : undefined;
}

export function flagOf(directive: ConstDirectiveNode, name: string, otherwise = false): boolean {
  const value = argumentOf(directive, name);
  return value?.kind === Kind.BOOLEAN ? value.value : otherwise;
}

export const toText = (value: string): ConstValueNode => ({ kind: Kind.STRING, value });
export const toEnum = (value: string): ConstValueNode => ({ kind: Kind.ENUM, value });

/**
 * The directive with other values.
 * @param values by argument; undefined removes one
 */
export const withArguments = (
  directive: ConstDirectiveNode,
  values: Readonly<Record<string, ConstValueNode | undefined>>,
): ConstDirectiveNode => ({
  ...directive,
  arguments: [
    ...(directive.arguments ?? []).filter(({ name }) => !(name.value in values)),
    ...Object.entries(values).flatMap(([name, value]) =>
      value === undefined
        ? []
        : [{ kind: Kind.ARGUMENT as const, name: { kind: Kind.NAME as const, value: name }, value }],
    ),
  ],
});

/** `@join__field(graph: A)` */
export const toJoinField = (graph: string): ConstDirectiveNode =>
  withArguments({ kind: Kind.DIRECTIVE, name: { kind: Kind.NAME, value: 'join__field' } }, { graph: toEnum(graph) });
