import { createHash } from 'node:crypto';
import { getHeapStatistics } from 'node:v8';
import type { ExecutionResult, GraphQLSchema } from 'graphql';
import { GraphQLError, parse } from 'graphql';
import type { Principal } from '../auth/principal';
import { createCatalog } from '../catalog/catalog';
import { createProductJsonReader } from '../catalog/rows/product-json';
import { RawJson, stringify } from '../catalog/passthrough';
import type { LargeProduct, ProductPlace } from '../catalog/rows/large-product';
import { placeOfProduct } from '../catalog/rows/large-product';
import type { Database } from '../database/database';
import type { Cancellation } from '../common/cancellation';
import { ApiError } from '../errors/api-error';
import type { WorkPauses } from '../common/fair-queue';
import type { AnswerOutcome } from '../observability/metrics';
import { createCursorCodec } from '../relay/connection';
import { createAnswerCache, createEntityTagger, hasNoValue, tagOfBytes, writeAnswer } from './answers';
import type { Answer, Graph, LongBody } from './graph';
import type { Operation, OperationMaker } from './operations';
import { createOperationMaker } from './operations';
import { checkScopes } from './requires-scopes';
import { createSchema, readTypeDefinitions } from './schema';
import { toPublicError } from './to-public-error';

type Variables = Readonly<Record<string, unknown>>;

/** Cached answers may take this much, in bytes: a container with a small heap has little memory besides. */
const cacheBytes = Math.min(96 * 1024 * 1024, getHeapStatistics().heap_size_limit / 4);

interface GraphOptions {
  readonly database: Database;
  /** The first seals cursors, all open them. */
  readonly cursorSecrets: readonly [string, ...string[]];
  /**
   * A digest of the running program (docs/decisions.md 8): another one makes new entity tags. Cursors do not depend on
   * it.
   */
  readonly build: string;
  /** Called with the source of each REST answer. */
  readonly onAnswer?: (outcome: AnswerOutcome) => void;
}

/** The graph with everything it needs: schema, resolvers, readers of the database. */
export interface LocalGraph extends Graph {
  readonly schema: GraphQLSchema;
  /** Makes operations of documents that are valid against the schema. */
  readonly toOperation: OperationMaker;
  /**
   * Where both surfaces meet: one operation for one caller. Without a caller only the schema itself can be selected.
   * @param cancellation Ends the statements when the operation is canceled.
   */
  execute(
    operation: Operation,
    principal: Principal | undefined,
    variables: Variables,
    cancellation?: Cancellation,
  ): Promise<ExecutionResult>;
  /** The same, with its data written, in turns of the event loop: `data` is RawJson, unless it consists of nulls. */
  executeWritten: LocalGraph['execute'];
  /** The same, from the cache until the shop's data changes. */
  executeCached: LocalGraph['execute'];
  /** The memory that cached answers take now. */
  countCachedBytes(): number;
}

interface Execution {
  readonly operation: Operation;
  readonly principal: Principal;
  readonly variables: Variables;
  readonly cancellation?: Cancellation | undefined;
  readonly streamedProduct?: ProductPlace;
}

interface Executed {
  readonly result: ExecutionResult;
  /** The version that the whole result was read in, which may be newer than that of the key's read. */
  readonly dataVersion: string | undefined;
  readonly pauses: WorkPauses;
}

export function createGraph({ database, cursorSecrets, build, onAnswer = () => undefined }: GraphOptions): LocalGraph {
  const schema = createSchema();
  const toOperation = createOperationMaker(schema);
  const source = { database, readProduct: createProductJsonReader(database) };
  const cursors = createCursorCodec(cursorSecrets);
  const cache = createAnswerCache<Buffer>(cacheBytes, cacheBytes / 8, ({ length }) => length);
  const execute: LocalGraph['execute'] = async (operation, principal, variables, cancellation) =>
    principal === undefined
      ? operation.run(undefined, variables)
      : executeAtVersion({ operation, principal, variables, cancellation }, ({ result }) => result);

  /** @param use Makes the answer. What the operation has read counts as in memory until then. */
  async function executeAtVersion<Made>(
    { operation, principal, variables, cancellation, streamedProduct }: Execution,
    use: (executed: Executed) => Made | Promise<Made>,
  ): Promise<Made> {
    const catalog = createCatalog(source, cursors, principal, cancellation, operation.reads, streamedProduct);
    try {
      const result = await operation.run(catalog, variables);
      return await use({ result, dataVersion: catalog.versions.common(principal.dataVersion), pauses: catalog.pauses });
    } finally {
      catalog.memory.release();
    }
  }

  // Only a digest contains the secret: it makes tags unguessable, and nothing can be learned from them.
  const epoch = createHash('sha256').update(`${build}\n${readTypeDefinitions()}\n${cursorSecrets[0]}`).digest('hex');
  const entityTagFor = createEntityTagger(epoch);

  const writeData = async ({ data, errors }: ExecutionResult, pauses: WorkPauses): Promise<Buffer | undefined> =>
    // A response of errors alone is small, and graphql-server.ts reads it.
    !data || (errors !== undefined && hasNoValue(data)) ? undefined : writeAnswer(data, pauses);

  const createWriter =
    (isCached: boolean): LocalGraph['execute'] =>
    async (operation, principal, variables, cancellation) => {
      if (principal === undefined) return execute(operation, principal, variables);
      const keyAt = (version: string) => `graphql ${entityTagFor(principal, version, operation.key, variables)}`;
      const cached = isCached ? cache.get(principal.shop.id, keyAt(principal.dataVersion)) : undefined;
      if (cached !== undefined) return withData({}, cached);
      const execution = { operation, principal, variables, cancellation };
      return executeAtVersion(execution, async ({ result, dataVersion, pauses }) => {
        let written: Buffer | undefined;
        try {
          written = await writeData(result, pauses);
        } catch (error) {
          return toErrorResult(error as Error);
        }
        if (isCached && written !== undefined && result.errors === undefined && dataVersion !== undefined)
          cache.set({ shopId: principal.shop.id, dataVersion }, keyAt(dataVersion), written);
        return withData(result, written);
      });
    };

  return {
    schema,
    toOperation,
    execute,
    executeWritten: createWriter(false),
    executeCached: createWriter(true),
    countCachedBytes: cache.countBytes,

    prepare(source, toBody) {
      return { operation: toOperation(source, parse(source, { noLocation: true })), toBody };
    },

    async answer({ operation: { operation, toBody }, principal, variables, knownTags }): Promise<Answer> {
      for (const required of operation.requiredScopes) checkScopes(required, principal.scopes);
      if (variables instanceof ApiError) throw variables;
      const tagAt = (version: string) => entityTagFor(principal, version, operation.key, variables);
      const current = tagAt(principal.dataVersion);
      if (knownTags.includes(current)) {
        onAnswer('not_modified');
        return { etag: current, body: undefined };
      }
      const cached = cache.get(principal.shop.id, current);
      if (cached !== undefined) {
        onAnswer('hit');
        return { etag: current, body: cached };
      }
      onAnswer('miss');

      const streamed: ProductPlace = {};
      const execution = { operation, principal, variables, streamedProduct: streamed };
      return executeAtVersion(execution, async ({ result: { data, errors }, dataVersion, pauses }) => {
        if (errors?.[0] !== undefined) {
          streamed.product?.cancel();
          throw toPublicError(errors[0]);
        }
        if (streamed.product !== undefined) {
          const etag = tagAt(streamed.product.dataVersion);
          return { etag, body: surround(streamed.product, stringify(toBody(data ?? {}))) };
        }
        const body = await writeAnswer(toBody(data ?? {}), pauses, Infinity);
        // The result mixes two versions, so only its bytes can identify it.
        if (dataVersion === undefined) return { etag: await tagOfBytes(body), body };
        const etag = tagAt(dataVersion);
        cache.set({ shopId: principal.shop.id, dataVersion }, etag, body);
        return { etag, body };
      });
    },
  };
}

/** Written data passes through Apollo Server, which does not inspect it, to `stringify`. */
const withData = (result: ExecutionResult, written: Buffer | undefined): ExecutionResult =>
  written === undefined ? result : { ...result, data: new RawJson(written) as unknown as Record<string, unknown> };

/** The body of an answer around its product. */
function surround(product: LargeProduct, text: string): LongBody {
  const [start, end] = text.split(placeOfProduct).map((part) => Buffer.from(part)) as [Buffer, Buffer];
  async function* chunks(): AsyncGenerator<Buffer, void, void> {
    yield start;
    yield* product.chunks;
    yield end;
  }
  return {
    bytes: start.length + product.bytes + end.length,
    chunks: chunks(),
    cancel: () => product.cancel(),
  };
}

/** An error of the whole operation, such as an answer that is too large: graphql-server.ts refuses that. */
const toErrorResult = (originalError: Error): ExecutionResult => ({
  data: null,
  errors: [new GraphQLError(originalError.message, { originalError })],
});
