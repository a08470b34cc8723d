import type { DocumentNode, ExecutionResult, GraphQLSchema } from 'graphql';
import type { CompiledOperation } from './compiled-operation';
import { compileOperation } from './compiled-operation';
import { finishNodes, withFinishedNodes } from './finished-nodes';

/** Compiles valid documents whose answers are written, not read: parts of their data may be FinishedJson. */
export type OperationCompiler = (
  source: string,
  document: DocumentNode,
  operationName?: string,
) => CompiledOperation | ExecutionResult;

/** @param schema What the documents are valid against. */
export function createOperationCompiler(schema: GraphQLSchema): OperationCompiler {
  const finishedSchema = withFinishedNodes(schema);
  return (source, document, operationName) => {
    const finished = finishNodes(schema, document);
    const executed = finished && { schema: finishedSchema, ...finished };
    return compileOperation(schema, source, document, operationName, executed);
  };
}
