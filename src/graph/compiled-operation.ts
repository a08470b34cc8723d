import { createHash } from 'node:crypto';
import type { DocumentNode, ExecutionResult, GraphQLSchema } from 'graphql';
import { GraphQLError } from 'graphql';
import { compileQuery, isCompiledQuery } from 'graphql-jit';
import type { Catalog } from '../catalog/catalog';
import type { ScopeRequirement } from './requires-scopes';
import { scopesOfOperation } from './operation-scopes';

type Variables = Readonly<Record<string, unknown>>;

/** A document turned into a function once; running it costs a fraction of interpreting it each time. */
export interface CompiledOperation {
  readonly source: string;
  readonly document: DocumentNode;
  /** Names document and operation: the same key is the same operation. */
  readonly key: string;
  readonly requiredScopes: readonly ScopeRequirement[];
  run(catalog: Catalog | undefined, variables: Variables): Promise<ExecutionResult>;
}

interface ExecutedDocument {
  readonly schema: GraphQLSchema;
  readonly document: DocumentNode;
  /** Beside those of the client. */
  readonly variables: Variables;
}

/**
 * Compiles a valid document with graphql-jit.
 * @param operationName Which operation of the document, when it holds several.
 * @param executed What runs in its place, to the same effect: see finished-nodes.ts.
 * @returns The compiled operation, or the errors of a document that cannot be executed at all.
 */
export function compileOperation(
  schema: GraphQLSchema,
  source: string,
  document: DocumentNode,
  operationName?: string,
  executed: ExecutedDocument = { schema, document, variables: {} },
): CompiledOperation | ExecutionResult {
  const compiled = compileQuery(executed.schema, executed.document, operationName);
  if (!isCompiledQuery(compiled)) return withGraphqlErrors(compiled);
  return {
    source,
    document,
    key: createHash('sha256')
      .update(`${operationName ?? ''}\n${source}`)
      .digest('base64url'),
    requiredScopes: scopesOfOperation(schema, document),
    run: async (catalog, variables) =>
      withGraphqlErrors(await compiled.query(undefined, catalog, { ...variables, ...executed.variables })),
  };
}

export const isCompiledOperation = (result: CompiledOperation | ExecutionResult): result is CompiledOperation =>
  'run' in result;

const withGraphqlErrors = (result: ExecutionResult): ExecutionResult =>
  result.errors === undefined ? result : { ...result, errors: result.errors.map(toGraphqlError) };

/** graphql-jit's errors lack members that graphql-js's always have, and that Apollo Server relies on. */
const toGraphqlError = ({ message, path, originalError, extensions }: GraphQLError): GraphQLError =>
  new GraphQLError(message, { path, originalError, extensions });
