import type { QueryParameters } from './parameters';

/** The input of a parameter reader. */
export interface Parameters {
  /** Decoded, by the name in the path. */
  readonly path: Readonly<Record<string, string>>;
  readonly query: QueryParameters;
}

/**
 * One REST operation: a fixed document, its input (parameters → variables) and its output (data → body). The types of
 * variables and data are generated from the document.
 */
export interface RestOperation<
  Variables = Readonly<Record<string, unknown>>,
  Data = Readonly<Record<string, unknown>>,
> {
  /** As in openapi.yaml; the document is operations/<operationId>.graphql. */
  readonly operationId: string;
  /** Below /v1, in OpenAPI's syntax. */
  readonly path: string;
  /** @throws ApiError BAD_USER_INPUT for a parameter that breaks its rule (D4) */
  readonly readVariables: (parameters: Parameters) => Variables;
  /** @throws ApiError NOT_FOUND if the requested object does not exist */
  toBody(data: Data): object;
}

/** A connection as the documents of the lists select it; null only together with an error. */
interface Page {
  readonly nodes: readonly unknown[];
  readonly pageInfo: { readonly hasNextPage: boolean; readonly endCursor: string | null };
}

/** The page envelope of the specification: it contains the cursor only if there is a next page. */
export function toPageBody(connection: Page | null) {
  if (connection === null) throw new Error('A list is null only together with an error, which has been thrown.');
  const { nodes, pageInfo } = connection;
  const { hasNextPage, endCursor } = pageInfo;
  return { data: nodes, has_more: hasNextPage, next_cursor: hasNextPage ? endCursor : null };
}
