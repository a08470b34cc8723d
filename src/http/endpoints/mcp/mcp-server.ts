import type { CallToolResult } from '@modelcontextprotocol/server';
import {
  createMcpHandler,
  isJSONRPCRequest,
  ProtocolError,
  ProtocolErrorCode,
  Server,
  specTypeSchemas,
} from '@modelcontextprotocol/server';
import { Ajv } from '@modelcontextprotocol/server/validators/ajv';
import type { Principal } from '../../../auth/principal';
import { createScopeError } from '../../../auth/principal';
import { shorten } from '../../../common/one-line';
import { ApiError } from '../../../errors/api-error';
import { toApiError } from '../../../errors/to-api-error';
import { mostCharacters } from './fit-answer';
import type { Tool, ToolArguments, ToolContext } from './tool';
import { describeTool, isAllowed, withoutNulls } from './tool';

/** Tools only change with a new version of the service. */
const cacheHint = { ttlMs: 300_000, cacheScope: 'private' } as const;

const instructions =
  'Read-only access to the products, variants, collections and orders of one connected shop. Amounts are decimal strings; different currencies are never added up. Lists are sorted oldest first: while has_more is true, call again with next_cursor as cursor (list_changes: as after). For totals, use the figures tools instead of reading lists.';

/** Serves the Model Context Protocol without sessions: one server object for each request, for one caller. */
export function createMcpServer(tools: readonly Tool[], version: string) {
  const build = (context: ToolContext): Server => {
    const allowed = tools.filter((tool) => isAllowed(tool, context.principal));
    const server = new Server(
      { name: 'catalog-read-api', title: 'Catalog Read API', version },
      {
        capabilities: { tools: {}, extensions: { 'io.modelcontextprotocol/oauth-client-credentials': {} } },
        instructions,
        cacheHints: { 'tools/list': cacheHint, 'server/discover': cacheHint },
      },
    );
    server.setRequestHandler('tools/list', () => ({ tools: allowed.map(describeTool) }));
    server.setRequestHandler('tools/call', async ({ params }) => {
      const tool = tools.find(({ name }) => name === params.name);
      if (tool === undefined) {
        const names = allowed.map(({ name }) => name).join(', ');
        throw new ProtocolError(ProtocolErrorCode.InvalidParams, `Unknown tool: expected one of ${names}.`);
      }
      return call(tool, context, params.arguments ?? {});
    });
    return server;
  };
  /**
   * @param parsedBody One message: a batch would run more than was charged.
   * @returns the response, whose body is JSON, or one event with it for clients of earlier versions
   */
  return async (request: Request, context: ToolContext, parsedBody: object): Promise<Response> => {
    const fault = findFault(parsedBody);
    if (fault !== undefined) return Response.json(fault);
    return createMcpHandler(() => build(context), { maxSubscriptions: 0 }).fetch(request, { parsedBody });
  };
}

const { InitializeRequest, ListToolsRequest, CallToolRequest } = specTypeSchemas;
const requests = new Map(
  Object.entries({ initialize: InitializeRequest, 'tools/list': ListToolsRequest, 'tools/call': CallToolRequest }),
);

/**
 * The error for parameters that do not fit the protocol, as a sentence: the package would show its validator's output.
 */
function findFault(message: object): object | undefined {
  if (!isJSONRPCRequest(message)) return undefined;
  const issue = requests.get(message.method)?.['~standard'].validate(message).issues?.[0];
  if (issue === undefined) return undefined;
  const error = {
    code: ProtocolErrorCode.InvalidParams,
    message: `${issue.path?.map(String).join('.')}: ${issue.message}.`,
  };
  return { jsonrpc: '2.0', id: message.id, error };
}

async function call(
  tool: Tool,
  context: ToolContext,
  given: Readonly<Record<string, unknown>>,
): Promise<CallToolResult> {
  try {
    const body = await tool.run(context, checkArguments(tool, context.principal, given));
    const text = JSON.stringify(body);
    if (text.length > mostCharacters) {
      const expected = `The response has ${text.length} characters; the limit is ${mostCharacters}. Request less data.`;
      throw new ApiError('ANSWER_TOO_LARGE', expected);
    }
    return { content: [{ type: 'text', text }], structuredContent: { ...body } };
  } catch (thrown) {
    const error = toApiError(thrown);
    if (error.code === 'INTERNAL_SERVER_ERROR') context.onInternalError(error);
    const body = { error: { code: error.code, message: error.message } };
    return { isError: true, content: [{ type: 'text', text: JSON.stringify(body) }] };
  }
}

// `verbose` adds the wrong value and its schema to errors.
const ajv = new Ajv({ strict: false, verbose: true });

/**
 * Checks a call before anything runs: scope, then arguments against the published schema. An error contains the
 * expected schema.
 * @throws ApiError FORBIDDEN, BAD_USER_INPUT
 */
function checkArguments(tool: Tool, principal: Principal, sent: ToolArguments): ToolArguments {
  const { name, scopes, inputSchema } = tool;
  const { properties } = inputSchema;
  if (!isAllowed(tool, principal))
    throw createScopeError(
      scopes.map((scope) => [scope]),
      principal.scopes,
    );
  const given = withoutNulls(sent);
  if (ajv.validate(inputSchema, given)) return given;
  const { instancePath, params, data, parentSchema } = ajv.errors?.[0] as {
    readonly instancePath: string;
    readonly params: Readonly<Record<string, string | undefined>>;
    readonly data: unknown;
    readonly parentSchema: object;
  };
  const path = instancePath.slice(1).replaceAll('/', '.');
  if (path !== '') throw createInputError(path, JSON.stringify(parentSchema), data);
  const { missingProperty: missing } = params;
  if (missing !== undefined) throw createInputError(missing, JSON.stringify(properties[missing]), undefined);
  const known = Object.keys(properties).join(', ');
  throw createInputError(
    name,
    known === '' ? 'no arguments' : `only the arguments ${known}`,
    params['additionalProperty'],
  );
}

function createInputError(name: string, expected: string, value: unknown): ApiError {
  // JSON.stringify descends by recursion, and clients choose the depth.
  let left = 100;
  const json = JSON.stringify(value, (_, member) => (left-- > 0 ? (member as unknown) : null));
  const got = value === undefined ? 'nothing' : shorten(json, 100);
  return new ApiError('BAD_USER_INPUT', `${name}: expected ${expected}, got ${got}.`);
}
