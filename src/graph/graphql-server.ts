import type {
  ApolloServerOptions,
  ApolloServerPlugin,
  BaseContext,
  GraphQLRequestContextWillSendResponse,
  HTTPGraphQLResponse,
} from '@apollo/server';
import { ApolloServer, HeaderMap } from '@apollo/server';
import {
  ApolloServerPluginCacheControlDisabled,
  ApolloServerPluginInlineTraceDisabled,
  ApolloServerPluginLandingPageDisabled,
} from '@apollo/server/plugin/disabled';
import type { GatewayInterface } from '@apollo/server-gateway-interface';
import type { DocumentNode, FormattedExecutionResult, GraphQLFormattedError, GraphQLSchema } from 'graphql';
import { GraphQLError } from 'graphql';
import { LRUCache } from 'lru-cache';
import { AnswerTooLargeError, maximumAnswerBytes } from '../catalog/answer-size';
import { jsonLength, toUtf8 } from '../catalog/passthrough';
import { FairCache } from '../common/fair-cache';
import { yieldToLoop } from '../common/fair-queue';
import { ApiError } from '../errors/api-error';
import type { ErrorCode } from '../errors/codes';
import { isErrorCode } from '../errors/codes';
import { toApiError } from '../errors/to-api-error';
import { maskMessage } from '../privacy/addresses';
import type { LocalGraph } from './create-graph';
import { hasNoValue } from './create-graph';
import { measureDocument } from './limits/document-shape';
import { maxTokens as defaultMaxTokens } from './limits/limit-options';
import type { CheckedOperation, LimitSettings, OperationLimits } from './limits/limits';
import { createOperationLimits, validateDocument } from './limits/limits';
import type { GraphqlContext } from './operations';
import { ownerOf, createOperationCache } from './operations';
import { serviceOf, toPublicError } from './to-public-error';

interface DocumentRules {
  /** Maximum number of tokens of a document. */
  readonly maxTokens?: number | undefined;
  /** Whether introspection is allowed. Default: yes. */
  readonly introspection?: boolean | undefined;
}

interface GraphqlServerOptions extends DocumentRules {
  readonly gateway: GatewayInterface;
  readonly production: boolean;
  /** The limits of one operation; `defaultLimits` unless set. */
  readonly limits?: LimitSettings | undefined;
  /** Receives the cause of an error that was answered with only a general message. */
  readonly onInternalError: (error: ApiError, requestId: string | undefined) => void;
  /** Called with the cost of every operation within the limits. */
  readonly onPriced?: ((cost: number, context: GraphqlContext) => void) | undefined;
}

/**
 * Headers that a page of another origin cannot make a browser send without a preflight. Apollo's own two come first.
 * Browsers add Authorization on their own only for Basic and similar schemes, which are refused before Apollo sees
 * them: here it is always a bearer token.
 */
const preflightedHeaders = ['x-apollo-operation-name', 'apollo-require-preflight', 'authorization'];

/** Apollo Server over a gateway object, with everything disabled that would reveal too much to clients. */
export function createGraphqlServer(options: GraphqlServerOptions): ApolloServer<GraphqlContext> {
  const limits = createOperationLimits(options.limits);
  const documents = createClientDocuments(limits, options);
  return new ApolloServer<GraphqlContext>({
    ...documents.serverOptions,
    gateway: options.gateway,
    introspection: true, // decided before the server (D26), and by the rules of documents
    csrfPrevention: { requestHeaders: preflightedHeaders },
    allowBatchedHttpRequests: false,
    includeStacktraceInErrorResponses: false,
    stopOnTerminationSignals: false,
    // Apollo Server passes on unread what this returns: serialized data stays in UTF-8 (docs/decisions.md 67).
    stringifyResult: (result) => toUtf8(result, '\n') as unknown as string,
    plugins: [
      answerOperations(options, limits, documents),
      // Pages for people are in src/http/endpoints/explorer/; Apollo's own would load scripts from elsewhere.
      ApolloServerPluginLandingPageDisabled(),
      // It would wrap the resolver of every field, leaves too, to compute a header that we set ourselves (D7).
      ApolloServerPluginCacheControlDisabled(),
      // Apollo would add a trace of every field to the responses of a subgraph, for any client that sends a header.
      ApolloServerPluginInlineTraceDisabled(),
    ],
    formatError: (formatted, error) => withoutAddresses(toPublicFormat(formatted, error)),
  });
}

/** The body of a response of such a server. */
export const bodyOf = ({ body }: HTTPGraphQLResponse): Buffer =>
  body.kind === 'complete' ? (body.string as unknown as Buffer) : Buffer.alloc(0);

/**
 * Errors of the document itself keep Apollo's message; those of other teams' subgraphs keep their code, the subgraph's
 * name and the time to retry after; all others come from the registry (D2) and have no other members.
 */
function toPublicFormat(formatted: GraphQLFormattedError, error: unknown): GraphQLFormattedError {
  const code = formatted.extensions?.['code'];
  if (code === 'BAD_REQUEST') return { ...formatted, extensions: { code: toRequestCode(error) } };
  if (code === 'GRAPHQL_PARSE_FAILED')
    return { ...formatted, message: toSyntaxText(formatted.message), extensions: { code } };
  const service = error instanceof GraphQLError ? serviceOf(error) : undefined;
  if (service !== undefined) {
    const retryAfter = formatted.extensions?.['retryAfter'];
    return {
      ...formatted,
      extensions: { code, service, ...(typeof retryAfter === 'number' && { retryAfter }) },
    };
  }
  const isOfDocument = typeof code === 'string' && code !== 'INTERNAL_SERVER_ERROR' && !isErrorCode(code);
  if (isOfDocument || !(error instanceof GraphQLError))
    return { ...formatted, extensions: { code: code ?? 'INTERNAL_SERVER_ERROR' } };
  const publicError = toPublicError(error);
  return { ...formatted, message: publicError.message, extensions: { code: publicError.code } };
}

/**
 * An error other than a syntax error is a stack overflow of the parser, caused by nested values. Corrects a typo of
 * graphql-js.
 */
const toSyntaxText = (message: string): string =>
  message.startsWith('Syntax Error')
    ? message.replace('contains more that', 'contains more than')
    : 'Syntax Error: The document is nested too deeply.';

/** Messages quote what the client sent, and subgraphs choose the text of theirs (D25). */
const withoutAddresses = (formatted: GraphQLFormattedError): GraphQLFormattedError => ({
  ...formatted,
  message: maskMessage(formatted.message),
});

/**
 * Apollo has one code for every HTTP request that is not a GraphQL request; the registry has one for each status (D2).
 */
function toRequestCode(error: unknown): ErrorCode {
  const http = (error as GraphQLError).extensions['http'] as { status?: number } | undefined;
  return requestCodes.get(http?.status) ?? 'BAD_USER_INPUT';
}

const requestCodes = new Map<number | undefined, ErrorCode>([
  [405, 'METHOD_NOT_ALLOWED'],
  [415, 'UNSUPPORTED_MEDIA_TYPE'],
]);

/**
 * Refuses documents and operations beyond the limits, and documents that do not fit the schema, before they run;
 * reports the causes of errors that clients see only as a general message; determines from the whole
 * response its status, and whether it may contain data.
 */
const answerOperations = (
  { onInternalError, onPriced = () => undefined, production }: GraphqlServerOptions,
  limits: OperationLimits,
  documents: ClientDocuments,
): ApolloServerPlugin<GraphqlContext> => ({
  requestDidStart: () => {
    let checked: CheckedOperation | undefined;
    let errors: readonly GraphQLError[] = [];
    return Promise.resolve({
      didResolveOperation: async (requestContext) => {
        const { schema, document: given, contextValue, request, source } = requestContext;
        const owner = ownerOf(contextValue);
        const isLong = source.length > longDocument;
        if (isLong) await yieldToLoop(owner);
        withHttpStatus(() => {
          const result = documents.check({ schema, document: given, owner });
          ({ errors } = result);
          if (errors.length > 0) return;
          const { document } = result;
          // Run the cached document, so that everything derived from it is found again.
          if (document !== given) Object.assign(requestContext, { document });
          // The name from the request: the context has none if no operation has that name.
          const { operationName, variables } = request;
          checked = limits.checkOperation({ schema, document, operationName, variables });
          onPriced(checked.cost, contextValue);
        });
        if (isLong) await yieldToLoop(owner);
      },
      // The only hook before execution that may respond with several errors.
      responseForOperation: () => {
        if (errors.length === 0) return Promise.resolve(null);
        const formatted = errors.map((error) => toValidationError(error, production));
        return Promise.resolve({
          http: { status: 400, headers: new HeaderMap() },
          body: { kind: 'single' as const, singleResult: { errors: formatted } },
        });
      },
      didEncounterErrors({ errors: encountered, contextValue }) {
        for (const error of encountered) {
          // Failures of other teams' subgraphs, and the nulls they cause, are logged where the subgraph is queried.
          if (serviceOf(error) !== undefined) continue;
          if (error.originalError === undefined && error.extensions['code'] !== undefined) continue;
          const publicError = error instanceof GraphQLError ? toPublicError(error) : toApiError(error);
          if (publicError.cause !== undefined) onInternalError(publicError, contextValue.requestId);
        }
        return Promise.resolve();
      },
      willSendResponse(context) {
        const { body, http } = context.response;
        if (body.kind !== 'single') return Promise.resolve();
        const isRequested = isCostReportRequested(context.request.http?.headers.get(costReportHeader));
        if (isRequested && checked !== undefined)
          body.singleResult.extensions = { ...body.singleResult.extensions, cost: toCostReport(checked) };
        if (isAnsweredWellAsJson(context, body.singleResult)) http.status = 200;
        const refusal = findRefusal(context.errors, body.singleResult);
        if (refusal !== undefined) {
          http.status = refusal.status;
          body.singleResult = { errors: [{ message: refusal.message, extensions: { code: refusal.code } }] };
        } else if (isOutageOnly(body.singleResult)) {
          const { errors: outages = [], extensions } = body.singleResult;
          http.status = 503;
          http.headers.set('retry-after', '1');
          // An error of a field would identify the field; this one is about the request, and one is enough.
          const request = outages.slice(0, 1).map(({ path: _path, locations: _locations, ...error }) => error);
          body.singleResult = { errors: request, ...(extensions && { extensions }) };
        }
        return Promise.resolve();
      },
    });
  },
  unexpectedErrorProcessingRequest({ error, requestContext }) {
    onInternalError(toApiError(error), requestContext.contextValue.requestId);
    return Promise.resolve();
  },
});

/**
 * GraphQL over HTTP, section 6.4: under `application/json` a well-formed request gets 200 even if its document does not
 * parse or validate; under `application/graphql-response+json` it gets 400. Apollo responds with 400 for both.
 */
function isAnsweredWellAsJson(
  { request }: GraphQLRequestContextWillSendResponse<GraphqlContext>,
  { errors }: FormattedExecutionResult,
): boolean {
  const prefersJson = !(request.http?.headers.get('accept') ?? '').includes('application/graphql-response+json');
  const code = errors?.[0]?.extensions?.['code'];
  return prefersJson && (code === 'GRAPHQL_PARSE_FAILED' || code === 'GRAPHQL_VALIDATION_FAILED');
}

/**
 * An operation that requests more than one response may hold is refused as a whole, with 400 and one error
 * (docs/decisions.md 41): if its rows are too large, or if the response would be. The latter is detected before
 * anything is written, and includes errors: the path of each repeats the client's aliases.
 */
function findRefusal(errors: readonly GraphQLError[] = [], result: FormattedExecutionResult) {
  for (const error of errors) {
    const thrown = toPublicError(error);
    if (thrown instanceof AnswerTooLargeError) return thrown;
  }
  return jsonLength(result) > maximumAnswerBytes ? new AnswerTooLargeError() : undefined;
}

/**
 * Whether the response consists only of outages, whether they began before or during the operation. It is then 503
 * without data (docs/decisions.md 20); a response with a part of its data keeps it, with 200.
 */
const isOutageOnly = ({ data, errors = [] }: FormattedExecutionResult): boolean =>
  errors.length > 0 &&
  errors.every(({ extensions }) => extensions?.['code'] === 'SERVICE_UNAVAILABLE' && !('service' in extensions)) &&
  hasNoValue(data ?? {});

/** The cache of validated documents of all shops. */
const totalBytes = 16 * 1024 * 1024;
const bytesPerShop = 4 * 1024 * 1024;
const overheadBytes = 500;

/**
 * The memory that an AST takes for each of its nodes, with its locations and what is derived from it: limits,
 * operations, texts for the planner, parts that a caller may see.
 */
const bytesPerNode = 1_000;

const sizeOf = (document: DocumentNode): number =>
  overheadBytes + bytesPerNode * measureDocument(document).nodes + 2 * (document.loc?.end ?? 0);

/** The cache of texts that clients registered by their hash (automatic persisted queries). */
const persistedBytes = 4 * 1024 * 1024;

interface DocumentToCheck {
  readonly schema: GraphQLSchema;
  readonly document: DocumentNode;
  /** Owner of the document's share of the cache. */
  readonly owner: string;
}

/** The document that a request continues with, if it has no errors. */
interface CheckedDocument {
  readonly document: DocumentNode;
  readonly errors: readonly GraphQLError[];
}

interface ClientDocuments {
  /** Options for Apollo Server: it only parses; `check` does everything else with documents. */
  readonly serverOptions: Pick<
    ApolloServerOptions<BaseContext>,
    'documentStore' | 'dangerouslyDisableValidation' | 'parseOptions' | 'persistedQueries'
  >;
  /**
   * Checks a parsed document against the limits and then against the schema. From its second use by an owner on it is
   * cached, and later requests with the same text get the same object, unchecked.
   * @throws ApiError BAD_USER_INPUT for a document beyond the limits.
   */
  check(request: DocumentToCheck): CheckedDocument;
  /** The memory in use now. */
  countBytes(): number;
}

/** The documents of the clients of one server. */
export function createClientDocuments(
  limits: Pick<OperationLimits, 'checkDocument'>,
  { maxTokens = defaultMaxTokens, introspection = true }: DocumentRules = {},
): ClientDocuments {
  const documents = new FairCache<DocumentNode>({
    totalSize: totalBytes,
    sizePerOwner: bytesPerShop,
    overhead: overheadBytes,
    isCommon: true,
  });
  /** Digests of schema and text, as Apollo Server computes them. */
  const keys = new WeakMap<DocumentNode, string>();
  const checked = new WeakMap<DocumentNode, GraphQLSchema>();

  return {
    serverOptions: {
      parseOptions: { maxTokens },
      dangerouslyDisableValidation: true,
      documentStore: {
        get: (key) => Promise.resolve(documents.peek(key)),
        // Apollo Server stores what it has parsed; it is not checked yet.
        set: (key, document) => Promise.resolve(void keys.set(document, key)),
        delete: () => Promise.resolve(false),
      },
      persistedQueries: { cache: createTextCache() },
    },
    check({ schema, document: given, owner }) {
      const key = keys.get(given);
      const kept = key === undefined ? undefined : documents.get(owner, key);
      const document = kept ?? given;
      if (checked.get(document) === schema) return { document, errors: [] };
      const errors = validateDocument(schema, document, limits, introspection);
      if (errors.length > 0) return { document, errors };
      if (key !== undefined && documents.isSecondOffer(owner, key))
        documents.set(owner, key, document, sizeOf(document));
      checked.set(document, schema);
      return { document, errors };
    },
    countBytes: () => documents.size,
  };
}

function createTextCache() {
  const texts = new LRUCache<string, string>({
    maxSize: persistedBytes,
    // A few texts of one client must not displace those of all others.
    maxEntrySize: persistedBytes / 16,
    sizeCalculation: (text) => overheadBytes + 2 * text.length,
  });
  return {
    get: (key: string) => Promise.resolve(texts.get(key)),
    set: (key: string, text: string) => Promise.resolve(void texts.set(key, text)),
    delete: (key: string) => Promise.resolve(texts.delete(key)),
  };
}

/**
 * Documents with at least this many characters take milliseconds to validate, and again to prepare: each step has a
 * separate turn of the event loop.
 */
const longDocument = 1_024;

/** Errors of a document keep the code that GraphQL clients know (D2). */
function toValidationError({ message, locations }: GraphQLError, hidesSuggestions: boolean) {
  return {
    // Such messages quote the document, and bypass `formatError` here (D25).
    message: maskMessage(hidesSuggestions ? message.replace(/ ?Did you mean .+\?$/, '') : message),
    ...(locations && { locations }),
    extensions: { code: 'GRAPHQL_VALIDATION_FAILED' },
  };
}

/** Apollo Server responds with 500 to errors thrown here unless the error itself sets a status. */
function withHttpStatus(check: () => void): void {
  try {
    check();
  } catch (thrown) {
    if (!(thrown instanceof ApiError)) throw thrown;
    const { message, code, status } = thrown;
    throw new GraphQLError(message, { originalError: thrown, extensions: { code, http: { status } } });
  }
}

/** The request header for `extensions.cost` in the response: `X-GraphQL-Cost: 1`. */
const costReportHeader = 'x-graphql-cost';

/** Whether the header requests the report: `1` or `true`; any other value does not. */
const isCostReportRequested = (header: string | undefined): boolean =>
  header !== undefined && ['1', 'true'].includes(header.trim().toLowerCase());

/** The report on an operation that was within the limits. */
const toCostReport = (checked: CheckedOperation) => ({
  requested: checked.cost,
  allowed: checked.maxCost,
  depth: checked.depth,
  mostExpensive: checked.findMostExpensive() ?? null,
});

interface LocalGatewayOptions extends Pick<LocalGraph, 'schema' | 'toOperation'> {
  /** `executeWritten` or `executeCached` of the graph. */
  readonly execute: LocalGraph['execute'];
}

/** The local graph as Apollo Server's gateway: the only way to give the server our own executor. */
export function createLocalGateway({ schema, toOperation, execute }: LocalGatewayOptions): GatewayInterface {
  const operationOf = createOperationCache(toOperation);

  return {
    onSchemaLoadOrUpdate(callback) {
      callback({ apiSchema: schema, coreSupergraphSdl: '' });
      return () => undefined;
    },
    load: () =>
      Promise.resolve({
        executor: async ({ document, source, operationName, request, context: given }) => {
          const context = given as GraphqlContext;
          const operation = operationOf(source, document, operationName ?? undefined);
          return execute(operation, context.principal, request.variables ?? {}, context.cancellation);
        },
      }),
    stop: () => Promise.resolve(),
  };
}
