import type { ApolloServerOptions, BaseContext, ApolloServerPlugin } from '@apollo/server';
import type { DocumentNode, GraphQLSchema } from 'graphql';
import { LRUCache } from 'lru-cache';
import { FairCache } from '../common/fair-cache';
import { measureDocument } from './limits/document-shape';
import { maxTokens as defaultMaxTokens } from './limits/limit-options';
import type { OperationLimits, CheckedOperation } from './limits/limits';
import {
  NoFragmentCyclesRule,
  NoSchemaIntrospectionCustomRule,
  specifiedRules,
  UniqueFragmentNamesRule,
  validate,
  GraphQLError,
} from 'graphql';
import { HeaderMap } from '@apollo/server';
import { ApiError } from '../errors/api-error';
import { yieldToLoop } from '../common/fair-queue';
import { maskAddresses } from '../privacy/addresses';
import type { ExpensiveField } from './limits/operation-cost';

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
  /** Whose share of the memory the document takes. */
  readonly owner: string;
}

/** The document, or the errors, that a request continues with. */
export type CheckedDocument =
  { readonly document: DocumentNode } | { readonly errors: readonly [GraphQLError, ...GraphQLError[]] };

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

export interface DocumentRules {
  /** The most words and signs that a document may have. */
  readonly maxTokens?: number | undefined;
  /** Whether it may ask for the schema. Default: yes. */
  readonly introspection?: boolean | undefined;
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
      if (checked.get(document) === schema) return { document };
      const [first, ...errors] = validateDocument(schema, document, limits, introspection);
      if (first !== undefined) return { errors: [first, ...errors] };
      if (key !== undefined && documents.isSecondOffer(owner, key))
        documents.set(owner, key, document, sizeOf(document));
      checked.set(document, schema);
      return { document };
    },
    countBytes: () => documents.size,
  };
}

function createTextCache() {
  const texts = new LRUCache<string, string>({
    maxSize: persistedBytes,
    sizeCalculation: (text) => overheadBytes + 2 * text.length,
  });
  return {
    get: (key: string) => Promise.resolve(texts.get(key)),
    set: (key: string, text: string) => Promise.resolve(void texts.set(key, text)),
    delete: (key: string) => Promise.resolve(texts.delete(key)),
  };
}

/** The number of errors of one document that are reported; validation stops after them. */
const maxErrors = 50;

/**
 * Reports fragments that use themselves or have the same name: other rules do not terminate on those, or use one of the
 * two.
 */
const fragmentRules = [UniqueFragmentNamesRule, NoFragmentCyclesRule];

const closedRules = [...specifiedRules, NoSchemaIntrospectionCustomRule];

/**
 * Validates a document against a schema once it is known to be small: `validate` takes more than linear time, and on
 * fragments that use themselves exponential time (docs/decisions.md 38).
 * @param introspection whether a document may ask for the schema
 * @throws ApiError BAD_USER_INPUT for a document beyond the limits.
 */
export function validateDocument(
  schema: GraphQLSchema,
  document: DocumentNode,
  limits: Pick<OperationLimits, 'checkDocument'>,
  introspection = true,
): readonly GraphQLError[] {
  const { hasBrokenFragments } = limits.checkDocument(document);
  const rules = introspection ? specifiedRules : closedRules;
  return validate(schema, document, hasBrokenFragments ? fragmentRules : rules, { maxErrors });
}

interface LimitOperationsOptions<Context> {
  readonly limits: OperationLimits;
  readonly documents: ClientDocuments;
  /** Whose share of the document memory a request takes. */
  readonly ownerOf: (context: Context) => string;
  /** Called with the cost of every operation within the limits. */
  readonly onPriced?: ((cost: number, context: Context) => void) | undefined;
  /** Whether errors may mention parts of the schema that the client has not mentioned. */
  readonly hidesSuggestions: boolean;
}

/**
 * Refuses documents and operations beyond the limits, and documents that do not fit the schema, before they run.
 * Reports the cost of those that run, on request.
 */
export const limitOperations = <Context extends BaseContext>({
  limits,
  documents,
  ownerOf,
  onPriced = () => undefined,
  hidesSuggestions,
}: LimitOperationsOptions<Context>): ApolloServerPlugin<Context> => ({
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
          if ('errors' in result) {
            errors = result.errors;
            return;
          }
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
        const formatted = errors.map((error) => toValidationError(error, hidesSuggestions));
        return Promise.resolve({
          http: { status: 400, headers: new HeaderMap() },
          body: { kind: 'single' as const, singleResult: { errors: formatted } },
        });
      },
      willSendResponse: ({ request, response: { body } }) => {
        const isRequested = isCostReportRequested(request.http?.headers.get(costReportHeader));
        if (isRequested && checked !== undefined && body.kind === 'single') {
          body.singleResult.extensions = { ...body.singleResult.extensions, cost: toCostReport(checked) };
        }
        return Promise.resolve();
      },
    });
  },
});

/**
 * Documents with at least this many characters take milliseconds to validate, and again to prepare: each step has a
 * separate turn of the event loop.
 */
const longDocument = 1_024;

/** Errors of a document keep the code that GraphQL clients know (D2). */
function toValidationError({ message, locations }: GraphQLError, hidesSuggestions: boolean) {
  return {
    // Such messages quote the document, and bypass `formatError` here (D25).
    message: maskAddresses(hidesSuggestions ? message.replace(/ ?Did you mean .+\?$/, '') : message),
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

/** The request header for `extensions.cost` in the answer: `X-GraphQL-Cost: 1`. */
const costReportHeader = 'x-graphql-cost';

/** `extensions.cost`: the cost of the operation, the limit, and where the cost arises. */
export interface CostReport {
  readonly requested: number;
  readonly allowed: number;
  readonly depth: number;
  /** null if nothing in the operation costs anything. */
  readonly mostExpensive: ExpensiveField | null;
}

/** Whether the header requests the report: `1` or `true`; any other value does not. */
export const isCostReportRequested = (header: string | undefined): boolean =>
  header !== undefined && ['1', 'true'].includes(header.trim().toLowerCase());

/** The report on an operation that was within the limits. */
export const toCostReport = (checked: CheckedOperation): CostReport => ({
  requested: checked.cost,
  allowed: checked.maxCost,
  depth: checked.depth,
  mostExpensive: checked.findMostExpensive() ?? null,
});
