import { hash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { getOperationAST, GraphQLError, parse } from 'graphql';
import { ApiError } from '../../errors/api-error';
import type { Config } from '../../config/config';
import { readDocumentManifest } from '../../config/document-manifest';

/** `only`: nothing else runs. `also`: documents sent as text run as well. */
type TrustedDocumentMode = 'only' | 'also';

/** The members of a GraphQL request that identify the document to run, as the client sent them. */
export interface IdentifiedRequest {
  readonly query?: unknown;
  readonly documentId?: unknown;
  readonly extensions?: unknown;
}

export interface TrustedDocuments {
  /**
   * The text of the document to run; undefined if the request identifies none.
   * @throws GraphQLError PERSISTED_QUERY_NOT_FOUND, PERSISTED_QUERY_ID_REQUIRED, PERSISTED_QUERY_NOT_SUPPORTED
   * @throws ApiError BAD_USER_INPUT for an invalid identifier, or one that belongs to another text.
   */
  resolve(request: IdentifiedRequest): string | undefined;
}

/**
 * The trusted documents of the configuration.
 * @throws Error that reports what is wrong with the manifest: a service without its trusted documents would refuse
 * every client
 */
export const loadTrustedDocuments = (
  {
    trustedDocumentsFile: file,
    trustedDocumentsMode: mode,
  }: Pick<Config, 'trustedDocumentsFile' | 'trustedDocumentsMode'>,
  own: readonly string[],
): TrustedDocuments | undefined =>
  file === undefined ? undefined : createTrustedDocuments(readFileSync(file, 'utf8'), { mode, own });

/** The documents of one operation in the manifest, by its name; by identifier if it has none or another one has it. */
export function readNamedDocuments({
  trustedDocumentsFile: file,
}: Pick<Config, 'trustedDocumentsFile'>): ReadonlyMap<string, string> {
  const bodies = new Map<string, string>();
  for (const { id, body } of file === undefined ? [] : readDocumentManifest(readFileSync(file, 'utf8'))) {
    const operation = getOperationAST(parse(body));
    const name = operation?.name?.value ?? id;
    if (operation) bodies.set(bodies.has(name) ? id : name, body);
  }
  return bodies;
}

/**
 * Documents known in advance, looked up by `documentId` (GraphQL over HTTP, appendix Persisted Documents) or by
 * `extensions.persistedQuery.sha256Hash`. Nothing is added at run time. A trusted document may also be sent as text, so
 * that clients without support for identifiers work with `only` too.
 * @param options.own Documents of the service's own pages, which are not in the manifest; run by their text or digest
 * @throws Error that reports what is wrong with the manifest.
 */
export function createTrustedDocuments(
  manifestText: string,
  options: { readonly mode: TrustedDocumentMode; readonly own?: readonly string[] },
): TrustedDocuments {
  const byId = new Map<string, string>();
  const byDigest = new Map<string, string>();
  for (const { id, body } of readDocumentManifest(manifestText)) {
    byId.set(id, body);
    byDigest.set(sha256(body), body);
  }
  for (const body of options.own ?? []) byDigest.set(sha256(body), body);
  const find = (id: string): string | undefined =>
    byId.get(id) ?? byDigest.get(id.startsWith(sha256Prefix) ? id.slice(sha256Prefix.length) : id);

  return {
    resolve(request) {
      const id = readIdentifier(request);
      const { query } = request;
      if (query !== undefined && query !== null && query !== '') {
        if (typeof query !== 'string') throw new ApiError('BAD_USER_INPUT', '"query" must be a string.');
        const digest = sha256(query);
        if (id !== undefined && find(id) !== query && id !== digest && id !== sha256Prefix + digest) {
          throw new ApiError('BAD_USER_INPUT', 'The document identifier does not match "query".');
        }
        if (options.mode === 'only' && !byDigest.has(digest)) {
          throw documentError(
            'PERSISTED_QUERY_ID_REQUIRED',
            'Only trusted documents can be executed. Send a documentId.',
          );
        }
        return query;
      }
      if (id === undefined) return undefined;
      const source = find(id);
      if (source === undefined) {
        throw documentError('PERSISTED_QUERY_NOT_FOUND', 'No document has this identifier.');
      }
      return source;
    },
  };
}

const sha256Prefix = 'sha256:';

const sha256 = (text: string): string => hash('sha256', text, 'hex');

function readIdentifier({ documentId, extensions }: IdentifiedRequest): string | undefined {
  const hash = readPersistedQueryHash(extensions);
  if (documentId === undefined || documentId === null) return hash;
  if (typeof documentId !== 'string' || !isDocumentIdentifier(documentId)) {
    throw new ApiError(
      'BAD_USER_INPUT',
      '"documentId" must be "sha256:" followed by 64 lowercase hexadecimal digits, or an identifier from the manifest.',
    );
  }
  if (hash !== undefined && documentId !== hash && documentId !== sha256Prefix + hash) {
    throw new ApiError('BAD_USER_INPUT', '"documentId" and "extensions.persistedQuery" identify different documents.');
  }
  return documentId;
}

/** The appendix's syntax: every prefix but `sha256` and `x-…` is reserved. */
function isDocumentIdentifier(id: string): boolean {
  if (id.length > 512) return false;
  if (id.startsWith(sha256Prefix)) return /^sha256:[0-9a-f]{64}$/.test(id);
  return /^(x-[\w.~-]+:)?[\w.~-]+$/.test(id);
}

function readPersistedQueryHash(extensions: unknown): string | undefined {
  const persisted = memberOf(extensions, 'persistedQuery');
  if (persisted === undefined || persisted === null) return undefined;
  if (memberOf(persisted, 'version') !== 1) {
    throw documentError('PERSISTED_QUERY_NOT_SUPPORTED', 'Only version 1 of "extensions.persistedQuery" is supported.');
  }
  const hash = memberOf(persisted, 'sha256Hash');
  if (typeof hash !== 'string' || hash === '' || hash.length > 512) {
    throw new ApiError(
      'BAD_USER_INPUT',
      '"extensions.persistedQuery.sha256Hash" must be a string of 1 to 512 characters.',
    );
  }
  return hash;
}

const memberOf = (value: unknown, name: string): unknown =>
  typeof value === 'object' && value !== null && Object.hasOwn(value, name)
    ? (value as Readonly<Record<string, unknown>>)[name]
    : undefined;

/** Errors of the document itself keep the codes that GraphQL clients know (D2). */
const documentError = (code: string, message: string): GraphQLError =>
  new GraphQLError(message, { extensions: { code, http: { status: 400 } } });
