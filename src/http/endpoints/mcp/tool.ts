import type { ListToolsResult } from '@modelcontextprotocol/server';
import type { Scope } from '../../../auth/api-key';
import type { Principal } from '../../../auth/principal';
import { createScopeError } from '../../../auth/principal';
import { ApiError } from '../../../errors/api-error';

export type JsonSchema = Readonly<Record<string, unknown>>;

/** The schema of an argument, limited to the members of JSON Schema that `checkArguments` checks. */
export type ArgumentSchema = { readonly description?: string | undefined } & (
  | { readonly type: 'string'; readonly enum?: readonly string[]; readonly maxLength?: number }
  | { readonly type: 'integer'; readonly minimum: number; readonly maximum: number }
  | { readonly type: 'boolean' | 'object' }
  | {
      readonly type: 'array';
      readonly items: { readonly type: 'string'; readonly enum: readonly string[] };
      readonly minItems: 1;
      readonly maxItems: number;
      readonly uniqueItems: true;
    }
);

/** Text with at most as many characters as fit in a REST request. */
export const text = { type: 'string', maxLength: 8192 } as const;

/** One or more of the words. */
export const setOf = (words: readonly string[]): ArgumentSchema => ({
  type: 'array',
  items: { type: 'string', enum: words },
  minItems: 1,
  maxItems: words.length,
  uniqueItems: true,
});

/** The arguments of a call, valid by the tool's schemas, without nulls. */
export type ToolArguments = Readonly<Record<string, unknown>>;

/** A tool: one of our fixed documents, with its schemas as JSON Schema. */
export interface Tool {
  readonly name: string;
  readonly title: string;
  readonly description: string;
  /** Any one of them is enough. */
  readonly scopes: readonly Scope[];
  /** Schemas of its arguments, by name. */
  readonly properties: Readonly<Record<string, ArgumentSchema>>;
  readonly required?: readonly string[];
  readonly outputSchema: JsonSchema;
  /**
   * Returns the body of the response. Runs one operation, because a call is charged once.
   * @throws ApiError
   */
  run(principal: Principal, given: ToolArguments): Promise<object>;
}

export const isAllowed = ({ scopes }: Tool, principal: Principal): boolean =>
  scopes.some((scope) => principal.scopes.includes(scope));

type ListedTool = ListToolsResult['tools'][number];

/** A tool as listed by MCP. All tools are read-only and limited to one shop. */
export const describeTool = ({
  name,
  title,
  description,
  properties,
  required = [],
  outputSchema,
}: Tool): ListedTool => ({
  name,
  title,
  description,
  inputSchema: {
    type: 'object' as const,
    properties: properties as ListedTool['inputSchema']['properties'],
    ...(required.length > 0 && { required: [...required] }),
    additionalProperties: false,
  },
  outputSchema: outputSchema,
  annotations: { readOnlyHint: true, openWorldHint: false },
});

export const withoutNulls = (given: ToolArguments): ToolArguments =>
  Object.fromEntries(Object.entries(given).filter(([, value]) => value !== null));

/**
 * Checks a call before anything runs: scope, then arguments against the published schemas. An error contains the
 * expected schema.
 * @throws ApiError FORBIDDEN, BAD_USER_INPUT
 */
export function checkArguments(tool: Tool, principal: Principal, sent: ToolArguments): ToolArguments {
  const { name, scopes, properties, required = [] } = tool;
  const anyOf = scopes.map((scope) => [scope]);
  if (!isAllowed(tool, principal)) throw createScopeError(anyOf, principal.scopes);
  const given = withoutNulls(sent);
  for (const [argument, value] of Object.entries(given)) {
    const schema = Object.hasOwn(properties, argument) ? properties[argument] : undefined;
    const known = Object.keys(properties).join(', ') || 'no arguments';
    if (schema === undefined) throw createInputError(name, `only ${known}`, argument);
    if (!fits(schema, value)) throw createInputError(argument, JSON.stringify(schema), value);
  }
  const missing = required.find((argument) => given[argument] === undefined);
  if (missing !== undefined) throw new ApiError('BAD_USER_INPUT', `${name}: expected the argument ${missing}.`);
  return given;
}

function fits(schema: ArgumentSchema, value: unknown): boolean {
  switch (schema.type) {
    case 'string': {
      const { enum: words, maxLength = 0 } = schema;
      if (typeof value !== 'string' || words !== undefined) return words?.includes(value as string) === true;
      return value.length <= maxLength || [...value].length <= maxLength;
    }
    case 'integer':
      return Number.isInteger(value) && Number(value) >= schema.minimum && Number(value) <= schema.maximum;
    case 'array':
      if (!Array.isArray(value) || value.length < schema.minItems || value.length > schema.maxItems) return false;
      return new Set(value).size === value.length && value.every((item) => fits(schema.items, item));
    default:
      return typeof value === schema.type && !Array.isArray(value);
  }
}

function createInputError(name: string, expected: string, value: unknown): ApiError {
  const shown = Array.isArray(value) ? 'a list' : typeof value === 'object' ? 'an object' : undefined;
  const got = shown ?? JSON.stringify(typeof value === 'string' ? value.slice(0, 50) : value);
  return new ApiError('BAD_USER_INPUT', `${name}: expected ${expected}, got ${got}.`);
}
