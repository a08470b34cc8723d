import type { ListToolsResult } from '@modelcontextprotocol/server';
import type { Principal, Scope } from '../../../auth/principal';
import { ApiError } from '../../../errors/api-error';

export type JsonSchema = Readonly<Record<string, unknown>>;

/** The arguments of a call, as they were sent. */
export type ToolArguments = Readonly<Record<string, unknown>>;

/** What a model can call: one of our fixed documents, with its schemas as JSON Schema. */
export interface Tool {
  readonly name: string;
  readonly title: string;
  readonly description: string;
  /** One of them is enough. */
  readonly scopes: readonly Scope[];
  /** Of its arguments, by name. */
  readonly properties: Readonly<Record<string, JsonSchema>>;
  readonly required?: readonly string[];
  readonly outputSchema: JsonSchema;
  /** The body of the answer. @throws ApiError */
  run(principal: Principal, given: ToolArguments): Promise<object>;
}

export const isAllowed = ({ scopes }: Tool, principal: Principal): boolean =>
  scopes.some((scope) => principal.scopes.includes(scope));

type ListedTool = ListToolsResult['tools'][number];

/** As MCP lists a tool. Everything here reads, of one shop. */
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

/** @throws ApiError for arguments that the tool does not have, or that are missing: a model learns from it */
export function checkArguments({ name, properties, required = [] }: Tool, given: ToolArguments): void {
  const known = Object.keys(properties);
  const unknown = Object.keys(given).find((argument) => !known.includes(argument));
  if (unknown !== undefined) {
    const expected = known.length === 0 ? 'no argument' : `only ${known.join(', ')}`;
    throw new ApiError('BAD_USER_INPUT', `${name}: expected ${expected}, got ${JSON.stringify(unknown.slice(0, 50))}.`);
  }
  const missing = required.find((argument) => given[argument] === undefined || given[argument] === null);
  if (missing !== undefined) throw new ApiError('BAD_USER_INPUT', `${name}: expected the argument ${missing}.`);
}

/** A list of texts, or undefined where the argument was not given. */
export function readTexts(given: ToolArguments, name: string): readonly string[] | undefined {
  const value = given[name];
  if (value === undefined || value === null) return undefined;
  if (Array.isArray(value) && value.length > 0 && value.every((each) => typeof each === 'string')) return value;
  throw new ApiError('BAD_USER_INPUT', `${name}: expected a list of one or more texts.`);
}

/** An argument as the parameter of a query has it: text, number and boolean as text. */
export function toParameter(given: ToolArguments, name: string): readonly string[] | undefined {
  const value = given[name];
  if (value === undefined || value === null) return undefined;
  if (typeof value === 'string') return [value];
  if (typeof value === 'number' || typeof value === 'boolean') return [String(value)];
  throw new ApiError(
    'BAD_USER_INPUT',
    `${name}: expected one value, got ${Array.isArray(value) ? 'a list' : 'an object'}.`,
  );
}
