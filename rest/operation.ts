import type { Parameter } from './parameters';

/**
 * One REST operation: a fixed document, its input (parameters → variables) and its output (data → body). The types of
 * data are generated from the document; those of variables check the table of parameters.
 */
export interface RestOperation<Data = Readonly<Record<string, unknown>>> {
  /** As in openapi.yaml; the document is operations/<operationId>.graphql. */
  readonly operationId: string;
  /** Below /v1, in OpenAPI's syntax. */
  readonly path: string;
  readonly parameters: readonly Parameter[];
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
