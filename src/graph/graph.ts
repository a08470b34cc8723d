import type { Principal } from '../auth/principal';
import type { CompiledOperation } from './compiled-operation';

/** A document that was parsed, validated and compiled once; to whoever asked for it, a thing to hand back. */
export type PreparedOperation = CompiledOperation;

export interface AnswerRequest {
  readonly operation: PreparedOperation;
  readonly principal: Principal;
  /**
   * Reads the document's variables out of the request. Called after the scopes of the operation have been checked and
   * not before: FORBIDDEN comes before BAD_USER_INPUT (D1).
   * @throws ApiError BAD_USER_INPUT
   */
  readonly readVariables: () => Readonly<Record<string, unknown>>;
  /** Puts the operation's data into the shape of the response body; a pure function of its argument. */
  readonly toBody: (data: Readonly<Record<string, unknown>>) => unknown;
  /** Whether the client already holds the representation with this entity tag; then no body is made (D7). */
  readonly isHeldByClient: (etag: string) => boolean;
}

/** `body` is undefined when the client holds it already: 304. */
export interface Answer {
  readonly etag: string;
  readonly body: Buffer | undefined;
}

/** The one schema with its resolvers: both surfaces go through here, so both see the same objects, scopes and codes (D11). */
export interface Graph {
  /** Parses, validates and compiles a document of ours at start. @throws Error when it does not fit the schema. */
  prepare(source: string): PreparedOperation;
  /**
   * Runs an operation for a fixed purpose: all of its data or an error.
   * @throws ApiError FORBIDDEN when a field's scope is missing, BAD_USER_INPUT, NOT_FOUND (from `toBody`), …
   */
  answer(request: AnswerRequest): Promise<Answer>;
}
