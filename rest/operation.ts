import type { QueryParameters } from './query-parameters';

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
