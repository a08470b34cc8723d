import { createRequire } from 'node:module';
import type { Request, RequestHandler, Response, Router } from 'express';
import { ApiError } from '../../../errors/api-error';
import { createAccessSteps } from '../../access/access-steps';
import type { HttpDependencies, McpEndpoint } from '../../http-dependencies';
import { principalOf, requestIdOf } from '../../request/request-state';
import { readBody } from '../../request/read-body';
import { send } from '../../response/send';
import { routes } from '../../routes';
import { createStrictRouter, mountRoute } from '../mount-route';
import type { OpenApiDocument } from '../reference/openapi';
import { createDocumentTool } from './document-tool';
import { createFigureTools } from './figure-tools';
import type * as McpServer from './mcp-server';
import { createChangesTool, createOperationTools } from './operation-tools';

const maximumBytes = 256 * 1024;

/**
 * `POST /mcp`: the Model Context Protocol, for programs that let a model call tools. Each tool is one of our fixed
 * documents, so that the scopes, limits and privacy of the other surfaces hold; the access steps are theirs, too.
 */
export function mountMcp({ version, documents, runDocument }: McpEndpoint, dependencies: HttpDependencies): Router {
  const { graph, openApiDocument, publicUrl, log, takeTurn } = dependencies;
  const router = createStrictRouter();
  const documentTool = createDocumentTool(documents, runDocument);
  const tools = [
    ...createOperationTools(graph, openApiDocument as OpenApiDocument),
    createChangesTool(graph),
    ...createFigureTools(graph),
    ...(documentTool === undefined ? [] : [documentTool]),
  ];
  let server: ReturnType<typeof McpServer.createMcpServer> | undefined;
  const open = () =>
    loadMcpServer().createMcpServer({
      version,
      tools,
      onInternalError: (error) => log({ level: 'error', message: 'a tool failed', error }),
    });
  const answer: RequestHandler = async (request, response) => {
    const principal = principalOf(response);
    const message = await readBody(request, maximumBytes);
    if (!(await takeTurn(request, response))) return;
    const call = new globalThis.Request(`${publicUrl}${routes.mcp.path}`, {
      method: 'POST',
      headers: toHeaders(request),
      body: message,
      signal: signalOf(response),
    });
    const authInfo = { token: '', clientId: principal.clientId, scopes: [...principal.scopes], extra: { principal } };
    server ??= open();
    const answered = await server.fetch(call, { authInfo });
    const body = Buffer.from(await answered.arrayBuffer());
    // Answered already, because it took too long, or left by the client.
    if (response.headersSent || response.closed) return;
    const headers = ['Cache-Control', 'no-store'];
    const contentType = answered.headers.get('content-type') ?? undefined;
    if (body.length === 0) send(response, answered.status, headers);
    else send(response, answered.status, headers, body, contentType);
  };
  mountRoute(router, routes.mcp, dependencies, [
    refuseOtherOrigins(publicUrl),
    ...createAccessSteps(routes.mcp, dependencies),
    answer,
  ]);
  return router;
}

/** Loaded with the first call: the package of the protocol takes 80 ms of a start, and 10 MB. */
const loadMcpServer = (): typeof McpServer => createRequire(__filename)('./mcp-server') as typeof McpServer;

/**
 * A page of another origin must not call, whatever it has as a credential: it may have been led here by a name that now
 * means this address (MCP, Streamable HTTP, security warning). Programs send no Origin.
 */
const refuseOtherOrigins =
  (publicUrl: string): RequestHandler =>
  (request, _response, next) => {
    const { origin } = request.headers;
    const own = new URL(publicUrl).origin;
    if (origin === undefined || origin === own) return next();
    throw new ApiError('FORBIDDEN', `Origin: expected ${own}, or none.`);
  };

/** What the protocol has in headers; the credential was read already. */
function toHeaders({ rawHeaders }: Request): Headers {
  const headers = new Headers();
  for (let index = 0; index + 1 < rawHeaders.length; index += 2) {
    const name = (rawHeaders[index] as string).toLowerCase();
    if (/^(?:accept|content-type|mcp-[a-z-]{1,50})$/.test(name)) headers.append(name, rawHeaders[index + 1] as string);
  }
  return headers;
}

function signalOf(response: Response): AbortSignal {
  const gone = new AbortController();
  response.once('close', () => gone.abort(new Error(`The client disconnected (${requestIdOf(response) ?? ''}).`)));
  return gone.signal;
}
