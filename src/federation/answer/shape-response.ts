import type {
  ExecutionResult,
  FieldNode,
  FragmentDefinitionNode,
  GraphQLCompositeType,
  GraphQLObjectType,
  GraphQLOutputType,
  GraphQLSchema,
  OperationDefinitionNode,
  SelectionSetNode,
} from 'graphql';
import { GraphQLError, isAbstractType, isEnumType, isLeafType, isListType, isNonNullType, isUnionType } from 'graphql';
import type { BoundedErrors } from './bounded-errors';
import { PathTree } from './path-tree';
import type { ResponsePath } from './entity-targets';
import { typeNameOf } from './entity-targets';
import type { JsonObject } from './json-objects';
import { emptyObject, isJsonObject } from './json-objects';
import type { PlanKey } from './plan-keys';
import type { TypeCondition } from './answer-types';
import type { CollectedFields } from './collect-fields';
import { collectFields } from './collect-fields';
import { getOrMake } from '../../common/once';

interface ShapeOptions {
  /** The schema for clients. */
  readonly schema: GraphQLSchema;
  readonly isOfType: TypeCondition;
  readonly operation: OperationDefinitionNode;
  readonly fragments: ReadonlyMap<string, FragmentDefinitionNode>;
  readonly variables: Readonly<Record<string, unknown>>;
  /** The merged results of the subgraphs. */
  readonly data: JsonObject;
  /** The key that a field has in them. */
  readonly keyInData: PlanKey;
  /** The errors that explain nulls in the data. Shaping adds its own. */
  readonly errors: BoundedErrors;
  /**
   * Fields that were not requested because the caller may not see them: each occurrence becomes null with this error.
   */
  readonly denied: ReadonlyMap<FieldNode, string>;
}

/**
 * Gives merged data the shape that the client's operation selects: its members, in its order, under its aliases. Values
 * that the client may not see are removed, and nulls propagate to the next nullable field (GraphQL 6.4.4).
 */
export function shapeResponse(options: ShapeOptions): ExecutionResult {
  const root = options.schema.getRootType(options.operation.operation);
  const shaped = root && new ResponseShaper(options).object(root, options.data, [options.operation.selectionSet]);
  const errors = options.errors.toList();
  return { data: shaped === nothing ? null : (shaped ?? null), ...(errors.length > 0 && { errors }) };
}

/** A null that propagates: its error has been added, or the subgraph reported it. */
const nothing = Symbol('null for a non-null field');

/** One member of an object of the answer. */
interface Selection {
  readonly key: string;
  readonly keyInData: string;
  readonly nodes: readonly FieldNode[];
  readonly node: FieldNode;
  /** The same array each time, so that its collected fields are cached for the next object of a list. */
  readonly selectionSets: readonly SelectionSetNode[];
}

class ResponseShaper {
  readonly #options: ShapeOptions;
  /** Of the value that is being shaped. */
  readonly #path: (string | number)[] = [];
  /** The paths of all errors so far. */
  readonly #explained = new PathTree();
  readonly #collected = new Map<readonly SelectionSetNode[], Map<string, readonly Selection[]>>();

  constructor(options: ShapeOptions) {
    this.#options = options;
    for (const { path } of options.errors.kept) this.#explained.add(path ?? []);
  }

  object(
    type: GraphQLCompositeType,
    value: JsonObject,
    selectionSets: readonly SelectionSetNode[],
  ): JsonObject | null | typeof nothing {
    const typeName = isAbstractType(type) ? typeNameOf(value) : type.name;
    const runtimeType = this.#runtimeType(type, typeName);
    // An implementation that is unknown to clients: it is inaccessible, or newer than this supergraph.
    if (runtimeType === undefined) return null;
    const shaped = emptyObject();
    for (const selection of this.#selections(type, typeName, selectionSets)) {
      this.#path.push(selection.key);
      const completed = this.#field(runtimeType, selection, value[selection.keyInData]);
      this.#path.pop();
      if (completed === nothing) return nothing;
      if (completed !== undefined) shaped[selection.key] = completed;
    }
    return shaped;
  }

  #field(type: GraphQLCompositeType, selection: Selection, value: unknown): unknown {
    const { node, nodes, selectionSets } = selection;
    const name = node.name.value;
    if (name === '__typename') {
      if (!isAbstractType(type)) return type.name;
      // An @interfaceObject whose type no subgraph knows: it has the name of the interface, which is not an object
      // type.
      this.#report(
        (path) =>
          new GraphQLError('No subgraph could resolve the type of this object.', {
            nodes,
            path,
            extensions: { code: 'SUBREQUEST_MALFORMED_RESPONSE' },
          }),
      );
      return nothing;
    }
    if (name === '__schema' || name === '__type') return value ?? null;
    const definition = isUnionType(type) ? undefined : type.getFields()[name];
    if (definition === undefined) return undefined;
    const denial = nodes.map((candidate) => this.#options.denied.get(candidate)).find((text) => text !== undefined);
    if (denial === undefined) return this.#complete(definition.type, value, selectionSets, node);
    this.#report((path) => new GraphQLError(denial, { nodes, path, extensions: { code: 'FORBIDDEN' } }));
    return isNonNullType(definition.type) ? nothing : null;
  }

  #complete(
    type: GraphQLOutputType,
    value: unknown,
    selectionSets: readonly SelectionSetNode[],
    node: FieldNode,
  ): unknown {
    if (isNonNullType(type)) {
      const completed = this.#complete(type.ofType, value, selectionSets, node);
      if (completed !== null) return completed;
      this.#explainNull(node);
      return nothing;
    }
    if (value === null || value === undefined) return null;
    if (isListType(type)) {
      if (!Array.isArray(value)) return null;
      const items: unknown[] = [];
      for (let index = 0; index < value.length; index += 1) {
        this.#path.push(index);
        const completed = this.#complete(type.ofType, value[index], selectionSets, node);
        this.#path.pop();
        if (completed === nothing) return null;
        items.push(completed);
      }
      return items;
    }
    if (isEnumType(type)) return typeof value === 'string' && type.getValue(value) !== undefined ? value : null;
    if (isLeafType(type)) return value;
    if (!isJsonObject(value)) return null;
    const object = this.object(type, value, selectionSets);
    return object === nothing ? null : object;
  }

  /**
   * A null without an error must still be reported to the client, once. If errors were dropped, one of those may have
   * explained it.
   */
  #explainNull(node: FieldNode): void {
    if (this.#explained.touches(this.#path)) return;
    if (this.#options.errors.isCut) return this.#options.errors.omit(1);
    this.#report(
      (path) =>
        new GraphQLError(`Cannot return null for non-nullable field ${node.name.value}.`, {
          nodes: node,
          path,
          // Only a subgraph's answer can lack a value without an error of its fields.
          extensions: { code: 'DOWNSTREAM_SERVICE_ERROR' },
        }),
    );
  }

  #report(make: (path: ResponsePath) => GraphQLError): void {
    const path = [...this.#path];
    this.#explained.add(path);
    this.#options.errors.add(() => make(path));
  }

  #runtimeType(type: GraphQLCompositeType, typeName: string | undefined): GraphQLCompositeType | undefined {
    if (typeName === undefined || typeName === type.name) return type;
    return this.#options.schema.getType(typeName) as GraphQLObjectType | undefined;
  }

  #selections(
    type: GraphQLCompositeType,
    typeName: string | undefined,
    selectionSets: readonly SelectionSetNode[],
  ): readonly Selection[] {
    const byType = getOrMake(this.#collected, selectionSets, () => new Map<string, readonly Selection[]>());
    return getOrMake(byType, typeName ?? '', () => {
      const { isOfType, keyInData } = this.#options;
      const isWithin = (condition: string) => condition === type.name || isOfType(typeName, condition);
      const fields = collectFields(selectionSets, type, this.#options, (_, condition) =>
        isWithin(condition) ? type : undefined,
      );
      return toSelections(fields, keyInData);
    });
  }
}

const toSelections = (fields: CollectedFields<unknown>, keyInData: PlanKey): readonly Selection[] =>
  [...fields].map(([key, occurrences]) => {
    const nodes = occurrences.map(({ node }) => node);
    const node = nodes[0] as FieldNode;
    const selectionSets = nodes.flatMap(({ selectionSet }) => selectionSet ?? []);
    return { key, keyInData: keyInData(node), nodes, node, selectionSets };
  });
