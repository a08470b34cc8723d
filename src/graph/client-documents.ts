import type { ApolloServerOptions, BaseContext } from '@apollo/server';
import type { DocumentNode, GraphQLError, GraphQLSchema } from 'graphql';
import { LRUCache } from 'lru-cache';
import { FairCache } from '../common/fair-cache';
import { measureDocument } from './limits/document-shape';
import { maxTokens as defaultMaxTokens } from './limits/limit-options';
import type { OperationLimits } from './limits/limits';
import { validateDocument } from './limits/validate-document';

/** The cache of validated documents of all shops. */
const totalBytes = 16 * 1024 * 1024;
const bytesPerShop = 4 * 1024 * 1024;
const overheadBytes = 500;

/**
 * The memory that an AST takes for each of its nodes, with its locations and what is derived from it: limits, texts for
 * the planner, parts that a caller may see.
 */
const bytesPerNode = 800;

const sizeOf = (document: DocumentNode): number =>
  overheadBytes + bytesPerNode * measureDocument(document).nodes + 2 * (document.loc?.end ?? 0);

/** The cache of texts that clients registered by their hash (automatic persisted queries). */
const persistedBytes = 4 * 1024 * 1024;

interface DocumentRequest {
  readonly schema: GraphQLSchema;
  readonly document: DocumentNode;
  /** Whose share of the memory the document takes. */
  readonly owner: string;
}

/** The document, or the errors, that a request continues with. */
export type CheckedDocument =
  { readonly document: DocumentNode } | { readonly errors: readonly [GraphQLError, ...GraphQLError[]] };

export interface ClientDocuments {
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
  check(request: DocumentRequest): CheckedDocument;
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
