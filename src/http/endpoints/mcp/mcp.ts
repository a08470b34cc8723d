import { createRequire } from 'node:module';
import type { RequestHandler, Router } from 'express';
import { once } from '../../../common/once';
import { isJsonObject, parseJson } from '../../../common/parse-json';
import { ApiError } from '../../../errors/api-error';
import { createAccessSteps } from '../../access/access-steps';
import type { HttpDependencies, McpEndpoint } from '../../http-dependencies';
import { principalOf } from '../../request/request';
import { readBody } from '../../request/buffered-bytes';
import { toJson } from '../../response/handle-errors';
import { send } from '../../response/send';
import { routes } from '../../routes';
import { createOperationContext } from '../graphql/graphql-handler';
import { createStrictRouter, mountRoute } from '../mount-route';
import { withoutReferences } from '../reference/openapi';
import { createDocumentTool, createFigureTools, createChangesTool, createOperationTools } from './tools';
import type * as McpServer from './mcp-server';
import type { ToolArguments } from './tool';
import { withoutNulls } from './tool';

const maximumBytes = 256 * 1024;

const headers = ['Cache-Control', 'no-store'];

/**
 * `POST /mcp`: the Model Context Protocol, for programs that let a model call tools. Each tool is one of our fixed
 * documents, so that the scopes, limits and privacy of the other surfaces apply; so do their access steps.
 */
export function mountMcp({ version, documents, runDocument }: McpEndpoint, dependencies: HttpDependencies): Router {
  const { graph, openApiDocument, publicUrl, log, waitForSlot } = dependencies;
  const router = createStrictRouter();
  const documentTool = createDocumentTool(documents, runDocument);
  const tools = [
    ...createOperationTools(graph, withoutReferences(openApiDocument)),
    createChangesTool(graph),
    ...createFigureTools(graph),
    ...(documentTool === undefined ? [] : [documentTool]),
  ];
  const open = once(() => loadMcpServer().createMcpServer(tools, version));
  const answer: RequestHandler = async (request, response) => {
    const { message, error } = readMessage(await readBody(request, maximumBytes));
    if (message === undefined) return send(response, 400, headers, toJson({ jsonrpc: '2.0', id: null, error }));
    if (!(await waitForSlot(request, response))) return;
    const call = new globalThis.Request(`${publicUrl}${routes.mcp.path}`, {
      method: 'POST',
      // The package responds regardless of the client's Accept header.
      headers: { ...(request.headers as Record<string, string>), accept: 'application/json, text/event-stream' },
    });
    const answered = await open()(
      call,
      {
        principal: principalOf(response),
        beginOperation: () => createOperationContext(request, response),
        onInternalError: (err) => log.error({ requestId: response.locals.requestId, err }, 'tool call failed'),
      },
      message,
    );
    const text = await answered.text();
    const json = text.slice(text.indexOf('{'), text.lastIndexOf('}') + 1);
    // Already answered with 503, or the client disconnected.
    if (response.headersSent || response.closed) return;
    send(response, answered.status, headers, json === '' ? undefined : Buffer.from(json));
  };
  mountRoute(router, routes.mcp, [
    refuseOtherOrigins(publicUrl),
    ...createAccessSteps(routes.mcp, dependencies),
    answer,
  ]);
  return router;
}

/** Loaded with the first call: the package of the protocol takes 80 ms of a start, and 10 MB. */
const loadMcpServer = (): typeof McpServer => createRequire(__filename)('./mcp-server') as typeof McpServer;

/**
 * Refuses pages of other origins, whatever their credential, because of DNS rebinding (MCP, Streamable HTTP, security
 * warning). Programs send no Origin.
 */
const refuseOtherOrigins =
  (publicUrl: string): RequestHandler =>
  (request, _response, next) => {
    const { origin } = request.headers;
    const own = new URL(publicUrl).origin;
    if (origin === undefined || origin === own) return next();
    throw new ApiError('FORBIDDEN', `Origin: expected ${own} or no Origin header.`);
  };

/**
 * The message of a call, in which null parameters count as absent; or an error that says what was expected. Batches are
 * refused, as in the protocol since 2025-06-18: each of their operations would have to be charged.
 */
function readMessage(body: Buffer): { readonly message?: object; readonly error?: object } {
  const message = parseJson(body);
  if (message === undefined) {
    return {
      error: { code: -32_700, message: 'Expected a JSON-RPC message in UTF-8, got invalid JSON or another encoding.' },
    };
  }
  if (!isJsonObject(message)) {
    return {
      error: { code: -32_600, message: 'Expected a single JSON-RPC message object. Batches are not supported.' },
    };
  }
  const { params, ...rest } = message as { readonly params?: ToolArguments | null };
  return { message: { ...rest, ...(params && { params: withoutNulls(params) }) } };
}
