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
  Kind,
  defaultFieldResolver,
  execute,
  getNamedType,
  getNullableType,
  getOperationAST,
  getVariableValues,
  isLeafType,
  isListType,
} from 'graphql';
import { compileQuery, isCompiledQuery } from 'graphql-jit';
import { hash } from 'node:crypto';
import type { Catalog } from '../catalog/catalog';
import type { WorkTurns } from '../common/fair-turns';
import { mergesConditionally } from './conditional-merge';
import { variablesRefusingNull } from './null-variables';
import type { OperationFacts } from './operation-facts';
import { factsOfOperation } from './operation-facts';

type Resolver = GraphQLFieldResolver<unknown, Catalog | undefined>;

/**
 * The schema for compiled operations whose objects are resolved in turns of the event loop (docs/decisions.md 67): the
 * result of a statement, a page or the objects of a loader, waits for its turn before anything below it is resolved.
 */
export const inTurns = (schema: GraphQLSchema): GraphQLSchema =>
  mapSchema(schema, {
    [MapperKind.OBJECT_FIELD]: (config) =>
      config.resolve === undefined || isLeafType(getNamedType(config.type))
        ? config
        : { ...config, resolve: resolveInTurns(config.resolve as Resolver) },
  });

const resolveInTurns =
  (resolve: Resolver): Resolver =>
  (source, given, catalog, info) => {
    const found: unknown = resolve(source, given, catalog, info);
    if (catalog === undefined || !(found instanceof Promise)) return found;
    return found.then((objects: unknown) => {
      const turn = catalog.turns.take(countObjects(objects));
      return turn === undefined ? objects : turn.then(() => objects);
    });
  };

/** The length of a list or of a page's list; anything else counts as one object. */
function countObjects(found: unknown): number {
  if (Array.isArray(found)) return found.length;
  const nodes = (found as { nodes?: unknown } | null)?.nodes;
  return Array.isArray(nodes) ? nodes.length : 1;
}

/**
 * The same for interpreted operations, which cost ten times as much for each object: long lists are divided, and each
 * part waits for its turn. graphql-js accepts promises within lists; graphql-jit does not.
 */
export const inShortTurns = (schema: GraphQLSchema): GraphQLSchema =>
  mapSchema(schema, {
    [MapperKind.OBJECT_FIELD]: (config) =>
      isListType(getNullableType(config.type)) && !isLeafType(getNamedType(config.type))
        ? { ...config, resolve: resolveInParts((config.resolve as Resolver | undefined) ?? defaultFieldResolver) }
        : config,
  });

const objectsPerPart = 50;

const resolveInParts =
  (resolve: Resolver): Resolver =>
  (source, given, catalog, info) => {
    const found: unknown = resolve(source, given, catalog, info);
    if (catalog === undefined) return found;
    if (found instanceof Promise) return found.then((objects: unknown) => toParts(objects, catalog.turns));
    return toParts(found, catalog.turns);
  };

/** A list whose parts are available when they may be processed. */
function toParts(found: unknown, turns: WorkTurns): unknown {
  if (!Array.isArray(found)) return found;
  const objects = found as readonly unknown[];
  const parts: unknown[] = [];
  for (let from = 0; from < objects.length; from += objectsPerPart) {
    const part = objects.slice(from, from + objectsPerPart);
    const turn = turns.take(part.length);
    parts.push(...(turn === undefined ? part : part.map((object) => turn.then(() => object))));
  }
  return parts;
}

type Variables = Readonly<Record<string, unknown>>;

/** An operation that can be run any number of times. */
export interface CompiledOperation extends OperationFacts {
  /** Identifies document and operation: the same key is the same operation. */
  readonly key: string;
  run(catalog: Catalog | undefined, variables: Variables): Promise<ExecutionResult>;
}

interface ExecutedDocument {
  readonly schema: GraphQLSchema;
  readonly document: DocumentNode;
  /** In addition to those of the client. */
  readonly variables: Variables;
}

/** Makes an operation of a valid document. */
export type OperationMaker = (
  schema: GraphQLSchema,
  source: string,
  document: DocumentNode,
  operationName?: string,
  executed?: ExecutedDocument,
) => CompiledOperation;

/**
 * Compiles a valid document to a function with graphql-jit. Running it costs a fraction of interpreting the document
 * each time; compiling it costs more than interpreting it once.
 * @param operationName Which operation of the document, if it has several.
 * @param executed The document that runs in its place, to the same effect: see rewrite-document.ts.
 */
export const compileOperation: OperationMaker = (
  schema,
  source,
  document,
  operationName,
  executed = { schema, document, variables: {} },
) => {
  // graphql-jit builds answers as plain objects, in which this name is not a member, and reads variables from objects
  // that have inherited members.
  const { document: run } = executed;
  if (source.includes('__proto__') || definesInheritedName(run) || mergesConditionally(run))
    return interpretOperation(schema, source, document, operationName, executed);
  const compiled = compileQuery(executed.schema, executed.document, operationName);
  // For some valid documents graphql-jit generates an invalid program: those with names that it reserves.
  if (!isCompiledQuery(compiled)) return interpretOperation(schema, source, document, operationName, executed);
  const interpreted = interpretation(executed, operationName);
  const refusingNull = variablesRefusingNull(executed.schema, run);
  return describe(schema, source, document, operationName, async (catalog, variables) => {
    if (refusingNull.some((name) => variables[name] === null)) return interpreted(catalog, variables);
    const result = await compiled.query(undefined, catalog, { ...variables, ...executed.variables });
    // graphql-jit refuses some valid variables, such as those omitted for their default; nothing has run at that point.
    return result.data === undefined ? interpreted(catalog, variables) : result;
  });
};

const definesInheritedName = ({ definitions }: DocumentNode): boolean =>
  definitions.some(
    (definition) =>
      definition.kind === Kind.OPERATION_DEFINITION &&
      definition.variableDefinitions?.some(({ variable: { name } }) => name.value in Object.prototype),
  );

/** The same operation, to the same effect, for a document that is not known to recur. */
export const interpretOperation: OperationMaker = (
  schema,
  source,
  document,
  operationName,
  executed = { schema, document, variables: {} },
) => describe(schema, source, document, operationName, interpretation(executed, operationName));

const interpretation =
  (
    { schema, document, variables: added }: ExecutedDocument,
    operationName: string | undefined,
  ): CompiledOperation['run'] =>
  async (catalog, variables) =>
    execute({
      schema,
      document,
      contextValue: catalog,
      variableValues: { ...variables, ...added },
      operationName: operationName ?? null,
    });

function describe(
  schema: GraphQLSchema,
  source: string,
  document: DocumentNode,
  operationName: string | undefined,
  run: CompiledOperation['run'],
): CompiledOperation {
  const operation = getOperationAST(document, operationName);
  return {
    key: hash('sha256', `${operationName ?? ''}\n${source}`, 'base64url'),
    ...factsOfOperation(schema, document, operation ?? undefined),
    run: async (catalog, variables) => {
      const result = await run(catalog, variables);
      if (result.errors === undefined) return result;
      const refused =
        result.data === undefined && operation ? refuseVariables(schema, operation, variables) : undefined;
      return refused ?? withGraphqlErrors(result);
    },
  };
}

/** The largest number of errors about variables that one answer reports. */
const maxErrors = 50;

/**
 * Reports what is wrong with variables in the words of graphql-js, which identify the variable and the position within
 * it.
 */
function refuseVariables(
  schema: GraphQLSchema,
  { variableDefinitions = [] }: OperationDefinitionNode,
  variables: Variables,
): ExecutionResult | undefined {
  const { errors } = getVariableValues(schema, variableDefinitions, variables, { maxErrors });
  return errors && { errors: errors.map(({ message }) => new GraphQLError(message)) };
}

const withGraphqlErrors = ({ data, errors }: ExecutionResult): ExecutionResult => ({
  ...(data !== undefined && { data }),
  ...(errors !== undefined && { errors: errors.map(toGraphqlError) }),
});

/**
 * Adds members that graphql-js's errors always have, that Apollo Server relies on, and that graphql-jit's lack.
 * Locations in the document are omitted: graphql-jit does not know them.
 */
const toGraphqlError = ({ message, path, originalError, extensions }: GraphQLError): GraphQLError =>
  new GraphQLError(message, { path, originalError, extensions });
