import type { Principal } from '../auth/principal';
import type { CompiledOperation } from './compiled-operation';

/** A document that was parsed, validated and compiled once; opaque to callers. */
export type PreparedOperation = CompiledOperation;

export interface AnswerRequest {
  readonly operation: PreparedOperation;
  readonly principal: Principal;
  /**
   * Reads the document's variables from the request. Called only after the scopes of the operation have been checked:
   * FORBIDDEN comes before BAD_USER_INPUT (D1).
   * @throws ApiError BAD_USER_INPUT
   */
  readonly readVariables: () => Readonly<Record<string, unknown>>;
  /** Converts the operation's data to the response body; a pure function of its argument. */
  readonly toBody: (data: Readonly<Record<string, unknown>>) => object;
  /** Whether the client already holds the representation with this entity tag; then no body is made (D7). */
  readonly isHeldByClient: (etag: string) => boolean;
}

/** `body` is undefined if the client holds it already: 304. */
export interface Answer {
  readonly etag: string;
  readonly body: Buffer | LongBody | undefined;
}

/** A body that is too long to be held, and is read while it is sent. */
export interface LongBody {
  readonly bytes: number;
  readonly pieces: AsyncIterable<Buffer>;
  /** Must be called when the pieces are not read to their end. */
  cancel(): void;
}

/**
 * The single schema with its resolvers. Both surfaces use it, so both have the same objects, scopes and codes (D11).
 */
export interface Graph {
  /** Parses, validates and compiles one of our documents at start. @throws Error if it does not fit the schema. */
  prepare(source: string): PreparedOperation;
  /**
   * Runs an operation and returns all of its data or an error.
   * @throws ApiError FORBIDDEN if a field's scope is missing, BAD_USER_INPUT, NOT_FOUND (from `toBody`), …
   */
  answer(request: AnswerRequest): Promise<Answer>;
}
