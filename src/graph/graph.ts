import type { Principal } from '../auth/principal';
import type { ApiError } from '../errors/api-error';
import type { Operation } from './operations';

type ToBody = (data: Readonly<Record<string, unknown>>) => object;

/** A document that was parsed and validated once, and what becomes of its data. */
export interface PreparedOperation {
  readonly operation: Operation;
  readonly toBody: ToBody;
}

export interface AnswerRequest {
  readonly operation: PreparedOperation;
  readonly principal: Principal;
  /** The document's variables, or what is wrong with them: it is thrown after FORBIDDEN (D1). */
  readonly variables: Readonly<Record<string, unknown>> | ApiError;
  /** Entity tags of answers that the client holds; for one of these no body is made (D7). */
  readonly knownTags: readonly string[];
}

/** `body` is undefined if the client holds it already: 304. */
export interface Answer {
  readonly etag: string;
  readonly body: Buffer | LongBody | undefined;
}

/** A body that is too long to be held, and is read while it is sent. */
export interface LongBody {
  readonly bytes: number;
  readonly chunks: AsyncIterable<Buffer>;
  /** Must be called when the chunks are not read to their end. */
  cancel(): void;
}

/**
 * The single schema with its resolvers. Both surfaces use it, so both have the same objects, scopes and codes (D11).
 */
export interface Graph {
  /**
   * Parses one of our documents at start; that it fits the schema is checked where its types are generated.
   * @param toBody Converts the operation's data to the response body; a pure function of its argument.
   */
  prepare(source: string, toBody: ToBody): PreparedOperation;
  /**
   * Runs an operation and returns all of its data or an error.
   * @throws ApiError FORBIDDEN if a field's scope is missing, BAD_USER_INPUT, NOT_FOUND (from `toBody`), …
   */
  answer(request: AnswerRequest): Promise<Answer>;
}
