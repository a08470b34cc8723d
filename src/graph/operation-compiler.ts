import type { DocumentNode, GraphQLSchema } from 'graphql';
import { FairCache } from '../common/fair-cache';
import type { CompiledOperation, OperationMaker } from './compiled-operation';
import { compileOperation, inShortTurns, inTurns, interpretOperation } from './compiled-operation';
import { withPassthroughFields } from '../catalog/passthrough/passthrough-schema';
import { rewriteForPassthrough } from '../catalog/passthrough/rewrite-document';
import type { GraphqlContext } from './graphql-context';
import { measureDocument } from './limits/document-shape';

/** Compiles valid documents whose answers are written, not read: parts of their data may be RawJson. */
export type OperationCompiler = (source: string, document: DocumentNode, operationName?: string) => CompiledOperation;

/** Both ways to make an operation of a valid document. */
export interface OperationCompilers {
  readonly compile: OperationCompiler;
  /** For a document that is not known to recur: running it costs more, preparing it costs hardly anything. */
  readonly interpret: OperationCompiler;
}

/** @param schema The schema that the documents are valid against. */
export const createOperationCompilers = (schema: GraphQLSchema): OperationCompilers =>
  createCompilers(schema, withPassthroughFields(schema));

/** The same for answers that are read here: their data is plain data. */
export const createPlainCompilers = (schema: GraphQLSchema): OperationCompilers => createCompilers(schema, undefined);

/** @param passthroughSchema The schema that rewritten documents run on; undefined if none is rewritten. */
function createCompilers(schema: GraphQLSchema, passthroughSchema: GraphQLSchema | undefined): OperationCompilers {
  const maker = (make: OperationMaker, toTurns: typeof inTurns): OperationCompiler => {
    const plain = { schema: toTurns(schema), variables: {} };
    const passthrough = passthroughSchema && { schema: toTurns(passthroughSchema) };
    return (source, document, operationName) => {
      const rewritten = passthrough && rewriteForPassthrough(schema, document);
      const executed = rewritten ? { ...passthrough, ...rewritten } : { ...plain, document };
      return make(schema, source, document, operationName, executed);
    };
  };
  return { compile: maker(compileOperation, inTurns), interpret: maker(interpretOperation, inShortTurns) };
}

interface OperationRequest {
  /** Identifies the text of the document. */
  readonly key: string;
  readonly source: string;
  readonly document: DocumentNode;
  readonly operationName: string | undefined;
  readonly context: GraphqlContext;
}

/** Operations of clients' documents, ready to run. */
export type OperationCache = (request: OperationRequest) => CompiledOperation;

/**
 * The cache of compiled operations of all shops. Measured, a compiled operation of usual size takes 20 to 60 kB
 * (test/graph/documents.slow.test.ts).
 */
const totalBytes = 32 * 1024 * 1024;
const bytesPerShop = 8 * 1024 * 1024;
const overheadBytes = 500;

/** The memory of a compiled operation for each node of its document and for each field of its answer. */
const bytesPerNode = 250;
const bytesPerField = 1_200;

/**
 * Interprets an operation the first time and compiles it the second time, from when on it is cached: a client that
 * sends each document once costs neither the time of a compilation nor its memory. Shops share the memory fairly
 * (FairCache).
 */
export function createOperationCache({ compile, interpret }: OperationCompilers): OperationCache {
  const operations = new FairCache<CompiledOperation>({
    totalSize: totalBytes,
    sizePerOwner: bytesPerShop,
    overhead: overheadBytes,
    isCommon: true,
  });
  return ({ key: documentKey, source, document, operationName, context }) => {
    const shop = ownerOf(context);
    const key = `${documentKey} ${operationName ?? ''}`;
    const known = operations.get(shop, key);
    if (known !== undefined) return known;
    if (!operations.isSecondOffer(shop, key)) return interpret(source, document, operationName);
    const compiled = compile(source, document, operationName);
    operations.set(shop, key, compiled, sizeOf(document));
    return compiled;
  };
}

/** The owner of an operation's share of a cache: its shop; operations without a credential share one. */
export const ownerOf = ({ principal }: GraphqlContext): string => principal?.shop.id ?? '';

function sizeOf(document: DocumentNode): number {
  const { nodes, selections } = measureDocument(document);
  return nodes * bytesPerNode + selections * bytesPerField;
}
