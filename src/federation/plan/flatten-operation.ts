import type {
  DirectiveNode,
  DocumentNode,
  FieldNode,
  FragmentDefinitionNode,
  GraphQLCompositeType,
  GraphQLInterfaceType,
  GraphQLSchema,
  GraphQLUnionType,
  OperationDefinitionNode,
  SelectionNode,
  SelectionSetNode,
} from 'graphql';
import { getNamedType, isAbstractType, isCompositeType, isUnionType, Kind, print, visit } from 'graphql';
import { ApiError } from '../../errors/api-error';
import { isIncluded } from '../answer/collect-fields';
import type { PlanKey } from '../answer/plan-keys';
import { clientKey } from '../answer/plan-keys';
import { getOrMake } from '../../common/once';
import { typeNameField } from '../answer/introspection';

interface FlattenOptions {
  readonly schema: GraphQLSchema;
  readonly operation: OperationDefinitionNode;
  readonly fragments: ReadonlyMap<string, FragmentDefinitionNode>;
  readonly planKey: PlanKey;
  /** The values of the variables of `@include` and `@skip`. */
  readonly variables: Readonly<Record<string, unknown>>;
}

/** A field, and the object types for which it was selected. */
interface Selected {
  readonly field: FieldNode;
  readonly objects: ReadonlySet<string>;
}

/** Maximum number of fields and fragments, counting a fragment's wherever it is used. */
const maxFields = 10_000;

const tooLarge = (): ApiError =>
  new ApiError(
    'BAD_USER_INPUT',
    `The operation has more than ${maxFields} fields and fragments once its fragments are expanded. Split it into several operations.`,
  );

/**
 * The same operation in its simplest form: without `@include`, `@skip` and named fragments, each field of a selection
 * once, under its plan key, and fragments only on object types. The planner confuses or refuses equivalent operations
 * in other forms.
 * @throws ApiError when it is too large
 */
export function flattenOperation({ schema, operation, fragments, planKey, variables }: FlattenOptions): DocumentNode {
  let left = maxFields;
  const objectsOf = (type: GraphQLCompositeType): ReadonlySet<string> =>
    new Set((isAbstractType(type) ? schema.getPossibleTypes(type) : [type]).map(({ name }) => name));
  const membersOf = new Map<string, ReadonlySet<string>>();
  const membersOfName = (name: string): ReadonlySet<string> =>
    getOrMake(membersOf, name, () => {
      const type = schema.getType(name);
      return isCompositeType(type) ? objectsOf(type) : new Set<string>();
    });

  /** @returns whether there are fragments with a condition other than the type of the selection */
  function select(
    selectionSets: readonly SelectionSetNode[],
    objects: ReadonlySet<string>,
    typeName: string,
    found: Selected[],
  ): boolean {
    let hasConditions = false;
    for (const selection of selectionSets.flatMap(({ selections }) => selections)) {
      left -= 1;
      if (left < 0) throw tooLarge();
      if (!isIncluded(selection.directives, variables)) continue;
      if (selection.kind === Kind.FIELD) {
        found.push({ field: selection, objects });
        continue;
      }
      const fragment = selection.kind === Kind.INLINE_FRAGMENT ? selection : fragments.get(selection.name.value);
      if (fragment === undefined) continue;
      const condition = fragment.typeCondition?.name.value ?? typeName;
      if (condition !== typeName) hasConditions = true;
      const narrowed = condition === typeName ? objects : intersection(objects, membersOfName(condition));
      if (narrowed.size > 0 && select([fragment.selectionSet], narrowed, typeName, found)) hasConditions = true;
    }
    return hasConditions;
  }

  function flatten(type: GraphQLCompositeType, selectionSets: readonly SelectionSetNode[]): SelectionSetNode {
    const objects = membersOfName(type.name);
    const found: Selected[] = [];
    const hasConditions = select(selectionSets, objects, type.name, found);
    if (!isAbstractType(type)) return toSelectionSet(merged(type, found));
    const common = findCommon(type, objects, found);
    const leaves = new Set([...common].flatMap(({ field }) => (field.selectionSet ? [] : clientKey(field))));
    const different = found.filter((one) => !common.has(one) && !leaves.has(clientKey(one.field)));
    const selections: SelectionNode[] = [...merged(type, [...common])];
    for (const name of different.length === 0 ? [] : objects) {
      const own = different.filter((one) => one.objects.has(name));
      const object = schema.getType(name);
      if (own.length === 0 || !isCompositeType(object)) continue;
      selections.push({
        kind: Kind.INLINE_FRAGMENT,
        typeCondition: { kind: Kind.NAMED_TYPE, name: { kind: Kind.NAME, value: name } },
        selectionSet: toSelectionSet(merged(object, own)),
      });
    }
    // The type's name decides whether a client's fragment applies. If a fragment remains, the planner requests it
    // itself.
    if (different.length === 0 && hasConditions) selections.push(typeNameField);
    return toSelectionSet(selections);
  }

  function merged(type: GraphQLCompositeType, found: readonly Selected[]): FieldNode[] {
    const byKey = new Map<string, FieldNode[]>();
    for (const { field } of found) getOrMake(byKey, clientKey(field), () => []).push(field);
    return [...byKey.values()].map((fields) => {
      const [first] = fields as [FieldNode];
      const { selectionSet: _, alias: __, directives = [], ...field } = first;
      const key = planKey(first);
      const definition = isUnionType(type) ? undefined : type.getFields()[first.name.value];
      const named = definition === undefined ? undefined : getNamedType(definition.type);
      const inner = fields.flatMap(({ selectionSet }) => selectionSet ?? []);
      return {
        ...field,
        ...(key !== field.name.value && { alias: { kind: Kind.NAME, value: key } }),
        directives: directives.filter((directive) => !isCondition(directive)),
        ...(isCompositeType(named) && inner.length > 0 && { selectionSet: flatten(named, inner) }),
      };
    });
  }

  const root = schema.getRootType(operation.operation);
  if (root === undefined || root === null) throw new Error(`Expected a root type for a ${operation.operation}.`);
  const selectionSet = flatten(root, [operation.selectionSet]);
  const flat = { ...operation, selectionSet };
  return { kind: Kind.DOCUMENT, definitions: [withUsedVariables(flat)] };
}

/** The fields that can be selected once for all objects of an abstract type. */
function findCommon(
  type: GraphQLInterfaceType | GraphQLUnionType,
  objects: ReadonlySet<string>,
  found: readonly Selected[],
): ReadonlySet<Selected> {
  const common = new Set<Selected>();
  const bySignature = new Map<string, Selected[]>();
  for (const one of found) {
    const { name, selectionSet } = one.field;
    const isOfAll = name.value === '__typename' || (!isUnionType(type) && name.value in type.getFields());
    if (!isOfAll) continue;
    if (one.objects.size === objects.size) common.add(one);
    if (selectionSet !== undefined) continue;
    getOrMake(bySignature, signatureOf(one.field), () => []).push(one);
  }
  // A field that every object type has in its own fragment is common as well: the planner might resolve it only for the
  // first type.
  for (const same of bySignature.values()) {
    const covered = new Set(same.flatMap((one) => [...one.objects]));
    if (covered.size === objects.size) for (const one of same) common.add(one);
  }
  return common;
}

/** Identifies a field apart from its selections: its key, name and arguments. */
const signatureOf = ({ alias, name, arguments: given = [] }: FieldNode): string =>
  `${alias?.value ?? ''}:${name.value}(${given.map((argument) => print(argument)).join(', ')})`;

const isCondition = ({ name }: DirectiveNode): boolean => name.value === 'include' || name.value === 'skip';

const intersection = (one: ReadonlySet<string>, other: ReadonlySet<string>): ReadonlySet<string> =>
  [...one].every((name) => other.has(name)) ? one : new Set([...one].filter((name) => other.has(name)));

/** Selection sets must not be empty. */
const toSelectionSet = (selections: readonly SelectionNode[]): SelectionSetNode => ({
  kind: Kind.SELECTION_SET,
  selections: selections.length > 0 ? selections : [typeNameField],
});

function withUsedVariables(operation: OperationDefinitionNode): OperationDefinitionNode {
  const used = new Set<string>();
  visit(operation, {
    VariableDefinition: () => false,
    Variable: ({ name }) => void used.add(name.value),
  });
  return {
    ...operation,
    variableDefinitions: operation.variableDefinitions?.filter(({ variable }) => used.has(variable.name.value)) ?? [],
  };
}
