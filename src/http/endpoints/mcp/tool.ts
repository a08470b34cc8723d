import type { ListToolsResult } from '@modelcontextprotocol/server';
import type { Scope } from '../../../auth/api-key';
import type { Principal } from '../../../auth/principal';
import type { ApiError } from '../../../errors/api-error';
import type { GraphqlContext } from '../../../graph/operations';

export type JsonSchema = Readonly<Record<string, unknown>>;

/** Text with at most as many characters as fit in a REST request. */
export const text = { type: 'string', maxLength: 8192 } as const;

/** One or more of the words. */
export const setOf = (words: readonly string[]): JsonSchema => ({
  type: 'array',
  items: { type: 'string', enum: words },
  minItems: 1,
  maxItems: words.length,
  uniqueItems: true,
});

/** The arguments of a call, valid by the tool's schemas, without nulls. */
export type ToolArguments = Readonly<Record<string, unknown>>;

/** The caller of a tool. */
export interface ToolContext {
  readonly principal: Principal;
  /** The context of an operation that may wait for other teams' services. */
  beginOperation(): GraphqlContext;
  /** Reports an unexpected error. */
  onInternalError(error: ApiError): void;
}

/** A tool: one of our fixed documents, with its schemas as JSON Schema. */
export interface Tool {
  readonly name: string;
  readonly title: string;
  readonly description: string;
  /** Any one of them is enough. */
  readonly scopes: readonly Scope[];
  readonly inputSchema: ReturnType<typeof inputOf>;
  readonly outputSchema: JsonSchema;
  /**
   * Returns the body of the response. Runs one operation, because a call is charged once.
   * @throws ApiError
   */
  run(context: ToolContext, given: ToolArguments): Promise<object>;
}

export const isAllowed = ({ scopes }: Tool, principal: Principal): boolean =>
  scopes.some((scope) => principal.scopes.includes(scope));

/** The schema of arguments, from their schemas by name. */
export const inputOf = (properties: Readonly<Record<string, JsonSchema>>, required: string[] = []) => ({
  type: 'object' as const,
  properties,
  ...(required.length > 0 && { required }),
  additionalProperties: false,
});

/** A tool as listed by MCP. All tools are read-only and limited to one shop. */
export const describeTool = ({ scopes: _scopes, run: _run, ...listed }: Tool) =>
  ({ ...listed, annotations: { readOnlyHint: true, openWorldHint: false } }) as ListToolsResult['tools'][number];

export const withoutNulls = (given: ToolArguments): ToolArguments =>
  Object.fromEntries(Object.entries(given).filter(([, value]) => value !== null));
