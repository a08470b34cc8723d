import type { Principal } from '../auth/principal';
import type { Cancellation } from '../common/cancellation';
import { MapperKind, mapSchema } from '@graphql-tools/utils';
import type {
  DocumentNode,
  ExecutionResult,
  GraphQLFieldResolver,
  GraphQLSchema,
  OperationDefinitionNode,
} from 'graphql';
import {
  GraphQLError,
  defaultFieldResolver,
  execute,
  getNamedType,
  getNullableType,
  getOperationAST,
  isLeafType,
  isListType,
} from 'graphql';
import { hash } from 'node:crypto';
import type { Catalog } from '../catalog/catalog';
import { withPassthroughFields, rewriteForPassthrough } from '../catalog/passthrough';
import { UnwrittenError } from '../catalog/rows/shop-rows';
import { objectsPerPiece, type WorkPauses } from '../common/fair-queue';
import { measureMerging } from './limits/document-shape';
import type { ScopeRequirement } from './requires-scopes';
import { requirementsOfField } from './requires-scopes';
import type { TypedField } from './typed-fields';
import { typeFields } from './typed-fields';

/** The caller; undefined for an operation that selects only the schema and needs no credential (D26). */
export interface GraphqlContext {
  readonly principal: Principal | undefined;
  /** Identifies the request in the log. */
  readonly requestId?: string | undefined;
  /** Headers of the client's request, names in lower case; for the subgraphs that may receive some of them. */
  readonly headers?: Readonly<Record<string, string | readonly string[] | undefined>>;
  /** Ends when the client disconnects, and when the operation has taken too long. */
  readonly cancellation?: Cancellation;
}

/** An operation that can be run any number of times. */
export interface Operation extends OperationFacts {
  /** Identifies document and operation: the same key is the same operation. */
  readonly key: string;
  run(catalog: Catalog | undefined, variables: Readonly<Record<string, unknown>>): Promise<ExecutionResult>;
}

/**
 * Makes an operation of a valid document.
 * @param operationName Which one of the document, if it has several.
 */
export type OperationMaker = (source: string, document: DocumentNode, operationName?: string) => Operation;

/**
 * For results that are serialized, not read: parts of their data may be RawJson.
 * @param schema The schema that the documents are valid against.
 */
export const createOperationMaker = (schema: GraphQLSchema): OperationMaker =>
  createMaker(schema, withPassthroughFields(schema));

/** For results that are read in this process: their data is plain. */
export const createPlainOperationMaker = (schema: GraphQLSchema): OperationMaker => createMaker(schema);

/** @param passthroughSchema The schema that rewritten documents run on; without it none is rewritten. */
function createMaker(schema: GraphQLSchema, passthroughSchema?: GraphQLSchema): OperationMaker {
  const plain = dividingLists(schema);
  const passthrough = passthroughSchema && dividingLists(passthroughSchema);
  return (source, document, operationName) => {
    const operation = getOperationAST(document, operationName) as OperationDefinitionNode;
    // Execution merges repeated fields. Rewriting each separately would lose selections.
    const isRewritable = passthrough && measureMerging(document).comparisons === 0;
    const rewritten = isRewritable ? rewriteForPassthrough(schema, document) : undefined;
    return {
      key: hash('sha256', `${operationName ?? ''}\n${source}`, 'base64url'),
      ...factsOfOperation(schema, document, operation),
      async run(contextValue, variables) {
        const variableValues = rewritten?.toVariables(variables);
        const request = { contextValue, operationName: operationName ?? null, options: { maxCoercionErrors } };
        let result: ExecutionResult | undefined;
        if (passthrough && rewritten && variableValues)
          result = await execute({ ...request, schema: passthrough, document: rewritten.document, variableValues });
        if (result === undefined || result.errors?.some(({ originalError }) => originalError instanceof UnwrittenError))
          result = await execute({ ...request, schema: plain, document, variableValues: variables });
        return result.data === undefined ? { errors: (result.errors ?? []).map(withoutCause) } : result;
      },
    };
  };
}

/** Each quotes the whole value of its variable. */
const maxCoercionErrors = 5;

/** An error in variables; the message includes that of its cause. */
const withoutCause = ({ message, nodes }: GraphQLError): GraphQLError =>
  new GraphQLError(message, { nodes: nodes ?? null });

type Resolver = GraphQLFieldResolver<unknown, Catalog | undefined>;

/**
 * The schema for operations whose objects are resolved in turns of the event loop (docs/decisions.md 67): long lists
 * are divided, and each part waits for its turn.
 */
const dividingLists = (schema: GraphQLSchema): GraphQLSchema =>
  mapSchema(schema, {
    [MapperKind.OBJECT_FIELD]: (config) =>
      isListType(getNullableType(config.type)) && !isLeafType(getNamedType(config.type))
        ? { ...config, resolve: resolveInParts((config.resolve as Resolver | undefined) ?? defaultFieldResolver) }
        : config,
  });

const resolveInParts =
  (resolve: Resolver): Resolver =>
  (source, given, catalog, info) => {
    const found: unknown = resolve(source, given, catalog, info);
    if (catalog === undefined) return found;
    if (found instanceof Promise) return found.then((objects: unknown) => toParts(objects, catalog.pauses));
    return toParts(found, catalog.pauses);
  };

/** A list whose parts each resolve when they may be processed. */
function toParts(found: unknown, pauses: WorkPauses): unknown {
  if (!Array.isArray(found)) return found;
  const objects = found as readonly unknown[];
  const parts: unknown[] = [];
  for (let from = 0; from < objects.length; from += objectsPerPiece) {
    const part = objects.slice(from, from + objectsPerPiece);
    const turn = pauses.take(part.length);
    parts.push(...(turn === undefined ? part : part.map((object) => turn.then(() => object))));
  }
  return parts;
}

/**
 * Operations of clients' documents, ready to run: each is kept as long as its document is (graphql-server.ts), and
 * its memory counted there.
 */
export function createOperationCache(make: OperationMaker): OperationMaker {
  const ofDocuments = new WeakMap<DocumentNode, Map<string | undefined, Operation>>();
  return (source, document, operationName) => {
    const operations = ofDocuments.get(document) ?? new Map<string | undefined, Operation>();
    const operation = operations.get(operationName) ?? make(source, document, operationName);
    ofDocuments.set(document, operations.set(operationName, operation));
    return operation;
  };
}

/** The owner of a document's share of the cache: its shop; operations without a credential share one. */
export const ownerOf = ({ principal }: GraphqlContext): string => principal?.shop.id ?? '';

/** Properties of an operation, computed before it runs. */
interface OperationFacts {
  /**
   * Every scope requirement of the operation's fields, so that it can be refused before its variables are read (D1).
   * Excludes fields in fragments on an interface's types: the types of the objects are not known yet.
   */
  readonly requiredScopes: readonly ScopeRequirement[];
  /** The fields of the operation that read rows, each as often as it is selected. A list counts once. */
  readonly reads: number;
}

/** The objects whose fields may read further rows. */
const readingTypes: ReadonlySet<string> = new Set(['Query', 'Shop', 'Product', 'Variant', 'Collection', 'LineItem']);
/** Objects that these fields already have. */
const typesInMemory: ReadonlySet<string> = new Set(['Shop', 'VariantOption', 'Image', 'Membership']);

/** @param operation The one of the document that runs. */
function factsOfOperation(
  schema: GraphQLSchema,
  document: DocumentNode,
  operation: OperationDefinitionNode,
): OperationFacts {
  const requirements = new Map<string, ScopeRequirement>();
  let reads = 0;
  const add = ({ definition, parentType, compositeType, isNarrowed, below }: TypedField): void => {
    for (const requirement of isNarrowed ? [] : requirementsOfField(schema, definition))
      requirements.set(JSON.stringify(requirement), requirement);
    if (compositeType && !typesInMemory.has(compositeType.name) && readingTypes.has(parentType.name)) reads += 1;
    below.forEach(add);
  };
  typeFields(schema, document, operation).forEach(add);
  return { requiredScopes: [...requirements.values()], reads };
}
