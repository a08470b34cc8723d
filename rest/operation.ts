import type { QueryParameters } from './query-parameters';

/** What a reader of parameters is given. */
export interface Parameters {
  /** Decoded, by the name in the path. */
  readonly path: Readonly<Record<string, string>>;
  readonly query: QueryParameters;
}

/**
 * One REST operation: a fixed document, the way in (parameters → variables) and the way out (data → body). Variables and
 * data have the types that are generated from the document.
 */
export interface RestOperation<
  Variables = Readonly<Record<string, unknown>>,
  Data = Readonly<Record<string, unknown>>,
> {
  /** As in openapi.yaml; the document is operations/<operationId>.graphql. */
  readonly operationId: string;
  /** Below /v1, in OpenAPI's spelling. */
  readonly path: string;
  /** @throws ApiError BAD_USER_INPUT for a parameter that breaks its rule (D4) */
  readonly readVariables: (parameters: Parameters) => Variables;
  /** @throws ApiError NOT_FOUND when what was asked for does not exist */
  toBody(data: Data): unknown;
}
