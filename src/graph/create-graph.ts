import { hash, randomUUID } from 'node:crypto';
import { getHeapStatistics } from 'node:v8';
import type { ExecutionResult, GraphQLSchema } from 'graphql';
import { GraphQLError, parse } from 'graphql';
import type { Principal } from '../auth/principal';
import { createCatalog } from '../catalog/catalog';
import { createProductJsonReader } from '../catalog/rows/product-json';
import type { JsonPart } from '../catalog/passthrough';
import { RawJson, stringify, jsonLength, stringifyInChunks, toUtf8 } from '../catalog/passthrough';
import type { LargeProduct, ProductPlace } from '../catalog/rows/large-product';
import { placeOfProduct } from '../catalog/rows/large-product';
import type { Database, ShopVersion } from '../database/database';
import type { Cancellation } from '../common/cancellation';
import { ApiError } from '../errors/api-error';
import type { WorkPauses } from '../common/fair-queue';
import type { AnswerOutcome } from '../observability/metrics';
import { createCursorCodec } from '../relay/connection';
import type { Operation, OperationMaker } from './operations';
import { createOperationMaker } from './operations';
import { checkScopes } from './requires-scopes';
import { createSchema, readTypeDefinitions } from './schema';
import { toPublicError } from './to-public-error';
import { AnswerTooLargeError, maximumAnswerBytes } from '../catalog/answer-size';
import { FairCache } from '../common/fair-cache';

type Variables = Readonly<Record<string, unknown>>;

/** Maximum size of cached responses, in bytes: a container with a small heap has little other memory. */
const cacheBytes = Math.min(32 * 1024 * 1024, getHeapStatistics().heap_size_limit / 4);

interface GraphOptions {
  readonly database: Database;
  /** The first seals cursors, all open them. */
  readonly cursorSecrets: readonly [string, ...string[]];
  /**
   * A digest of the running program (docs/decisions.md 8): another one makes new entity tags. Cursors do not depend on
   * it.
   */
  readonly build: string;
  /** Called with the source of each REST response. */
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
  /**
   * The same, with its data serialized, over several turns of the event loop: `data` is RawJson, unless it consists of
   * nulls.
   */
  executeWritten: LocalGraph['execute'];
  /** The same, from the cache until the shop's data changes. */
  executeCached: LocalGraph['execute'];
  /** The current size of cached responses. */
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
  /** The version in which the whole result was read; may be newer than that of the key's read. */
  readonly dataVersion: string | undefined;
  readonly pauses: WorkPauses;
}

export function createGraph({ database, cursorSecrets, build, onAnswer = () => undefined }: GraphOptions): LocalGraph {
  const schema = createSchema();
  const toOperation = createOperationMaker(schema);
  const source = { database, readProduct: createProductJsonReader(database) };
  const cursors = createCursorCodec(cursorSecrets);
  const cache = createAnswerCache(cacheBytes, cacheBytes / 4);
  const execute: LocalGraph['execute'] = async (operation, principal, variables, cancellation) =>
    principal === undefined
      ? operation.run(undefined, variables)
      : executeAtVersion({ operation, principal, variables, cancellation }, ({ result }) => result);

  /** @param use Makes the response. The rows that the operation read count as memory in use until it returns. */
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
      // An error may end an operation while other fields of it still read.
      catalog.pauses.fail(operationEnded);
    }
  }

  // Changes with the program and its secrets, which make tags unguessable; only a digest contains them.
  const epoch = hash('sha256', `${build}\n${readTypeDefinitions()}\n${cursorSecrets[0]}`, 'hex');
  /**
   * Strong entity tags by the version of the shop's data, made without inspecting the body, from everything that
   * determines it (D7).
   */
  const createTagger = ({ shop, scopes }: Principal, operation: string, variables: unknown) => {
    const toTag = (dataVersion: string): string => {
      const inputs = [epoch, shop.id, dataVersion, scopes, operation, variables];
      return `"${hash('sha256', JSON.stringify(inputs), 'base64url').slice(0, 27)}"`;
    };
    const tags: Record<string, string> = {};
    return (dataVersion: string): string => (tags[dataVersion] ??= toTag(dataVersion));
  };

  const writeData = async ({ data, errors }: ExecutionResult, pauses: WorkPauses): Promise<Buffer | undefined> =>
    // A response of errors alone is small, and graphql-server.ts reads it.
    !data || (errors !== undefined && hasNoValue(data)) ? undefined : writeAnswer(data, pauses);

  const createWriter =
    (isCached: boolean): LocalGraph['execute'] =>
    async (operation, principal, variables, cancellation) => {
      if (principal === undefined) return execute(operation, principal, variables);
      const tagAt = createTagger(principal, operation.key, variables);
      const keyAt = (version: string) => `graphql ${tagAt(version)}`;
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
      const tagAt = createTagger(principal, operation.key, variables);
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
        // A result that mixes two versions shares its tag with no other response.
        const etag = tagAt(dataVersion ?? randomUUID());
        if (dataVersion !== undefined) cache.set({ shopId: principal.shop.id, dataVersion }, etag, body);
        return { etag, body };
      });
    },
  };
}

/** Serialized data passes through Apollo Server, which does not inspect it, to `stringify`. */
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

/** Made once, because every operation ends and a stack takes time. */
const operationEnded = new Error('The operation has ended.');

/** An error of the whole operation, such as an answer that is too large: graphql-server.ts refuses that. */
const toErrorResult = (originalError: Error): ExecutionResult => ({
  data: null,
  errors: [new GraphQLError(originalError.message, { originalError })],
});

/** Size of one entry beyond its body: key, list nodes, bookkeeping. */
const overheadBytes = 500;

/**
 * Caches the most recently used bodies, each from the second time that it is made: a client that paginates through a
 * catalog requests no page twice, and collecting an unused entry costs more than making it did (docs/decisions.md 8).
 * A key contains the shop's data version, so an entry is never stale: once the data changes, no request uses it
 * again, and the first body of another version replaces all others. Another version, not only a newer one: a failover
 * that loses a write, or a restored backup, sets a version back. Shops share the memory as described in FairCache.
 * @param totalBytes Limit for all shops together.
 * @param bytesPerShop Limit of one shop's share.
 */
export function createAnswerCache(totalBytes: number, bytesPerShop: number) {
  const versions = new Map<string, string>();
  const bodies = new FairCache<Buffer>({
    totalSize: totalBytes,
    sizePerOwner: bytesPerShop,
    overhead: overheadBytes,
    isCommon: false,
    onEmptied: (shopId) => versions.delete(shopId),
  });

  return {
    get: (shopId: string, key: string) => bodies.get(shopId, key),
    set({ shopId, dataVersion }: ShopVersion, key: string, body: Buffer) {
      const known = versions.get(shopId);
      if (known !== undefined && known !== dataVersion) bodies.clear(shopId);
      versions.set(shopId, dataVersion);
      // A copy: `body` may be part of one of Node's pools, all of which would stay in memory.
      if (bodies.isSecondOffer(shopId, key))
        bodies.set(shopId, key, Buffer.from(new Uint8Array(body).buffer), body.length);
    },
    countBytes: () => bodies.size,
  };
}

/** Bytes written in one turn of the event loop, in less than a millisecond. */
const lengthPerTurn = 256 * 1024;

/**
 * Serializes a response as JSON in UTF-8, over several turns of the event loop if it is long or its operation has
 * already needed turns. A long response is never one string: joining its parts and converting the whole takes 20 ms for
 * 5 MB (docs/decisions.md 67).
 * @param mostBytes Infinity only for rows that are shown as often as they were read.
 * @throws AnswerTooLargeError (docs/decisions.md 41)
 */
export async function writeAnswer(
  value: object,
  pauses: WorkPauses,
  mostBytes: number = maximumAnswerBytes,
): Promise<Buffer> {
  if (!pauses.hasWaited) {
    const length = jsonLength(value);
    if (length > mostBytes) throw new AnswerTooLargeError();
    if (length <= lengthPerTurn) return toUtf8(value);
  }
  const chunks: JsonPart[] = [];
  let bytes = 0;
  for (const chunk of toChunks(stringifyInChunks(value))) {
    // Also before the first: receiving rows from the database has already used up this turn.
    await pauses.next();
    chunks.push(chunk);
    bytes += Buffer.byteLength(chunk);
    if (bytes > mostBytes) throw new AnswerTooLargeError();
  }
  // One buffer of the right size: more of them would only be garbage, and megabytes of garbage cost a full collection.
  const written = Buffer.allocUnsafeSlow(bytes);
  let at = 0;
  for (const chunk of chunks) {
    await pauses.next();
    at += typeof chunk === 'string' ? written.write(chunk, at) : chunk.copy(written, at);
  }
  return written;
}

/** Joins short parts and cuts long ones, to what may be written in one turn. */
function* toChunks(parts: Iterable<JsonPart>): Generator<JsonPart, void> {
  let short: string[] = [];
  let length = 0;
  const takeShort = (): string => {
    const text = short.join('');
    [short, length] = [[], 0];
    return text;
  };
  for (const part of parts) {
    if (typeof part === 'string' && length + part.length <= lengthPerTurn) {
      short.push(part);
      length += part.length;
      continue;
    }
    if (length > 0) yield takeShort();
    if (typeof part === 'string') yield* cut(part);
    else yield part;
  }
  if (length > 0) yield takeShort();
}

function* cut(text: string): Generator<string, void> {
  for (let from = 0; from < text.length;) {
    const end = from + lengthPerTurn;
    // An unpaired surrogate has no UTF-8 encoding.
    const to = isHighSurrogate(text.charCodeAt(end - 1)) ? end - 1 : end;
    yield text.slice(from, to);
    from = to;
  }
}

const isHighSurrogate = (code: number): boolean => code >= 0xd800 && code < 0xdc00;

/** Whether no root field has a value. */
export const hasNoValue = (data: object): boolean => Object.values(data).every(isNothing);

/** An empty list counts as data, a list of nulls does not. */
const isNothing = (value: unknown): boolean =>
  value === null || (Array.isArray(value) && value.length > 0 && value.every(isNothing));

type ToBody = (data: Readonly<Record<string, unknown>>) => object;

/** A document that was parsed and validated once, with the conversion of its data. */
export interface PreparedOperation {
  readonly operation: Operation;
  readonly toBody: ToBody;
}

export interface AnswerRequest {
  readonly operation: PreparedOperation;
  readonly principal: Principal;
  /** The document's variables, or what is wrong with them: it is thrown after FORBIDDEN (D1). */
  readonly variables: Readonly<Record<string, unknown>> | ApiError;
  /** Entity tags of responses that the client has cached; no body is made for one of these (D7). */
  readonly knownTags: readonly string[];
}

/** `body` is undefined if the client already has it: 304. */
export interface Answer {
  readonly etag: string;
  readonly body: Buffer | LongBody | undefined;
}

/** A body that is too long to keep in memory: it is read while it is sent. */
interface LongBody {
  readonly bytes: number;
  readonly chunks: AsyncIterable<Buffer>;
  /** Must be called when the chunks are not read to their end. */
  cancel(): void;
}

/**
 * The single schema with its resolvers. Both surfaces use it, so both have the same objects, scopes and codes (D11).
 */
export interface Graph {
  /**
   * Parses one of our documents at startup; codegen has validated it against the schema.
   * @param toBody Converts the operation's data to the response body; a pure function of its argument.
   */
  prepare(source: string, toBody: ToBody): PreparedOperation;
  /**
   * Runs an operation and returns all of its data or an error.
   * @throws ApiError FORBIDDEN if a field's scope is missing, BAD_USER_INPUT, NOT_FOUND (from `toBody`), …
   */
  answer(request: AnswerRequest): Promise<Answer>;
}
