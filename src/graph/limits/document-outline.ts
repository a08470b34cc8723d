import type {
  DocumentNode,
  FieldNode,
  FragmentDefinitionNode,
  GraphQLField,
  GraphQLNamedType,
  GraphQLSchema,
  OperationDefinitionNode,
  SelectionSetNode,
} from 'graphql';
import {
  getNamedType,
  Kind,
  SchemaMetaFieldDef,
  TypeMetaFieldDef,
  TypeNameMetaFieldDef,
  isCompositeType,
  isInterfaceType,
  isObjectType,
} from 'graphql';
import { fragmentsByName } from '../fragments';
import { ApiError } from '../../errors/api-error';

/** A field, or a fragment spread; inline fragments have been dissolved into their parents. */
export type OutlineNode = FieldOutline | SpreadOutline;

interface NodeOutline {
  /** Index of the surrounding field within the same definition; -1 at the top. */
  readonly parent: number;
}

export interface FieldOutline extends NodeOutline {
  readonly kind: 'field';
  readonly syntax: FieldNode;
  readonly parentType: GraphQLNamedType;
  /** Undefined only if the document was not validated against this schema. */
  readonly definition: GraphQLField<unknown, unknown> | undefined;
  /** The field's type without its lists and non-nulls, if it has fields itself. */
  readonly compositeType: GraphQLNamedType | undefined;
}

export interface SpreadOutline extends NodeOutline {
  readonly kind: 'spread';
  readonly fragment: string;
}

/** One operation or fragment as a flat list in document order: every parent comes before its children. */
export interface DefinitionOutline {
  readonly nodes: readonly OutlineNode[];
}

/**
 * Everything that one operation reaches: each fragment once, however often it is used, and before the definitions that
 * use it.
 */
export interface OperationOutline {
  readonly operation: OperationDefinitionNode;
  readonly root: DefinitionOutline;
  readonly fragments: ReadonlyMap<string, DefinitionOutline>;
  /** The total number of nodes: the number of steps of one pass over it. */
  readonly size: number;
}

/**
 * Flattens an operation and its fragments once. All later steps are loops over flat lists, children before parents:
 * time stays linear in the document whatever fragments it nests, and no depth can exhaust the stack.
 */
export function outlineOperation(
  schema: GraphQLSchema,
  document: DocumentNode,
  operation: OperationDefinitionNode,
): OperationOutline {
  const definitions = fragmentsByName(document);
  const rootType = schema.getRootType(operation.operation);
  if (!rootType) throw new ApiError('BAD_USER_INPUT', `There is no ${operation.operation} here: expected a query.`);
  const root = outlineSelections(schema, operation.selectionSet, rootType);
  const fragments = outlineFragments(schema, root, definitions);
  let size = root.nodes.length;
  for (const fragment of fragments.values()) size += fragment.nodes.length;
  return { operation, root, fragments, size };
}

/**
 * Depth-first over the fragments with an explicit stack; a fragment is added to the map after all the fragments that it
 * uses.
 */
function outlineFragments(
  schema: GraphQLSchema,
  root: DefinitionOutline,
  definitions: ReadonlyMap<string, FragmentDefinitionNode>,
): ReadonlyMap<string, DefinitionOutline> {
  const finished = new Map<string, DefinitionOutline>();
  const open = new Map<string, DefinitionOutline>();
  const stack: { name: string; outline: DefinitionOutline; pending: string[] }[] = [];

  const enter = (name: string) => {
    const definition = definitions.get(name);
    const type = definition && schema.getType(definition.typeCondition.name.value);
    const outline = definition ? outlineSelections(schema, definition.selectionSet, type) : { nodes: [] };
    open.set(name, outline);
    stack.push({ name, outline, pending: fragmentsUsedBy(outline) });
  };

  for (const start of fragmentsUsedBy(root)) {
    if (!finished.has(start)) enter(start);
    for (let top = stack.at(-1); top !== undefined; top = stack.at(-1)) {
      const next = top.pending.pop();
      if (next === undefined) {
        finished.set(top.name, top.outline);
        open.delete(top.name);
        stack.pop();
      } else if (open.has(next)) {
        throw new ApiError('BAD_USER_INPUT', `The fragment "${next}" uses itself; fragments may not form a circle.`);
      } else if (!finished.has(next)) {
        enter(next);
      }
    }
  }
  return finished;
}

const fragmentsUsedBy = (outline: DefinitionOutline): string[] => [
  ...new Set(outline.nodes.flatMap((node) => (node.kind === 'spread' ? [node.fragment] : []))),
];

interface OpenSelections {
  readonly selections: SelectionSetNode['selections'];
  readonly type: GraphQLNamedType | undefined;
  readonly parent: number;
  next: number;
}

function outlineSelections(
  schema: GraphQLSchema,
  selectionSet: SelectionSetNode,
  type: GraphQLNamedType | undefined,
): DefinitionOutline {
  const nodes: OutlineNode[] = [];
  const stack: OpenSelections[] = [{ selections: selectionSet.selections, type, parent: -1, next: 0 }];
  for (let top = stack.at(-1); top !== undefined; top = stack.at(-1)) {
    const selection = top.selections[top.next];
    top.next += 1;
    if (selection === undefined) {
      stack.pop();
      continue;
    }
    const { parent } = top;
    if (selection.kind === Kind.FRAGMENT_SPREAD) {
      nodes.push({ kind: 'spread', fragment: selection.name.value, parent });
    } else if (selection.kind === Kind.INLINE_FRAGMENT) {
      const condition = selection.typeCondition && schema.getType(selection.typeCondition.name.value);
      stack.push({
        selections: selection.selectionSet.selections,
        type: condition ?? top.type,
        parent,
        next: 0,
      });
    } else {
      const definition = top.type && findField(schema, top.type, selection.name.value);
      const named = definition && getNamedType(definition.type);
      const compositeType = named && isCompositeType(named) ? named : undefined;
      // Without a type nothing below can be priced; validation has already refused such a document.
      if (top.type !== undefined) {
        nodes.push({
          kind: 'field',
          syntax: selection,
          parent,
          parentType: top.type,
          definition,
          compositeType,
        });
      }
      if (selection.selectionSet && compositeType) {
        stack.push({
          selections: selection.selectionSet.selections,
          type: compositeType,
          parent: nodes.length - 1,
          next: 0,
        });
      }
    }
  }
  return { nodes };
}

function findField(
  schema: GraphQLSchema,
  type: GraphQLNamedType,
  name: string,
): GraphQLField<unknown, unknown> | undefined {
  if (name === TypeNameMetaFieldDef.name) return TypeNameMetaFieldDef;
  if (type === schema.getQueryType()) {
    if (name === SchemaMetaFieldDef.name) return SchemaMetaFieldDef;
    if (name === TypeMetaFieldDef.name) return TypeMetaFieldDef;
  }
  return isObjectType(type) || isInterfaceType(type) ? type.getFields()[name] : undefined;
}
