import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import type { RequestHandler, Request, Response, Router } from 'express';
import { parseQueryString, toIgnoredHeader } from '../../../rest/query-parameters';
import type { QueryParameters } from '../../../rest/query-parameters';
import type { Principal } from '../../auth/principal';
import type { Scope } from '../../auth/scopes';
import { createScopeError } from '../../auth/scope-error';
import type { ExportFormat, ExportTable } from '../../catalog/rows/export-statement';
import { exportFormats, exportTables, parseExportTables } from '../../catalog/rows/export-statement';
import { toDatabaseApiError } from '../../database/database-failure';
import { ApiError } from '../../errors/api-error';
import type { ExportOutcome } from '../../observability/metrics';
import { createAccessSteps } from '../access/access-steps';
import type { ExportEndpoint, HttpDependencies } from '../http-dependencies';
import { countBytes } from '../request/request-record';
import { principalOf } from '../request/request-state';
import { chooseEncoding, createEncodingStream } from '../response/content-encoding';
import { prepareHeaders } from '../response/send';
import { queryOf, routes } from '../routes';
import { createStrictRouter, mountRoute } from './mount-route';

/** `GET /export`: everything that the credential may read of its shop, as NDJSON, in one response (docs/snapshot-format.md). */
export function mountExport({ start, maximum, onStarted }: ExportEndpoint, dependencies: HttpDependencies): Router {
  const router = createStrictRouter();
  let running = 0;
  const answer: RequestHandler = async (request, response) => {
    const principal = principalOf(response);
    const { ignored, ...options } = readOptions(queryOf(request.originalUrl), principal);
    const [name, value] = toIgnoredHeader(ignored);
    if (name !== undefined && value !== undefined) response.setHeader(name, value);
    if (request.method === 'HEAD') return void startResponse(request, response).end();
    if (running >= maximum) throw createFullError(maximum);
    running += 1;
    const onEnded = onStarted();
    let outcome: ExportOutcome = 'failed';
    try {
      outcome = await sendExport(request, response, (signal) =>
        start({
          ...options,
          signal,
          shopId: principal.shop.id,
          describesShop: principal.scopes.includes('account:read'),
          exclusiveName: principal.clientId,
          connectionTimeoutMilliseconds: dependencies.requestTimeoutMilliseconds,
        }),
      );
    } catch (error) {
      if (error instanceof ApiError && error.code === 'RATE_LIMITED') outcome = 'refused';
      throw error;
    } finally {
      running -= 1;
      onEnded(outcome);
    }
  };
  mountRoute(router, routes.export, dependencies, [...createAccessSteps(routes.export, dependencies), answer]);
  return router;
}

/** The status is sent with the first line: what fails before that is answered as an error, what fails later ends the connection. */
async function sendExport(
  request: Request,
  response: Response,
  start: (signal: AbortSignal) => AsyncGenerator<Buffer, void, void>,
): Promise<ExportOutcome> {
  const ended = new AbortController();
  response.once('close', () => ended.abort(new Error('The client disconnected.')));
  // The steps in front and the pipeline listen too.
  response.setMaxListeners(20);
  countBytes(response);
  const lines = start(ended.signal);
  // Known where it is thrown: the response that it ends closes as one does that the client left, earlier or later.
  let isFailed = false;
  const onError = (): void => void (isFailed = !ended.signal.aborted);
  try {
    const first = await lines.next();
    // Answered already: it took too long.
    if (response.headersSent) return 'failed';
    const body = Readable.from(withFirst(first, lines, onError), { objectMode: false, highWaterMark: bufferedBytes });
    const sent = startResponse(request, response);
    const encoding = chooseEncoding(request);
    if (encoding === undefined) await pipeline(body, sent);
    else await pipeline(body, createEncodingStream(encoding), sent);
    return 'complete';
  } catch (error) {
    if (isFailed || !ended.signal.aborted) throw toDatabaseApiError(error) ?? error;
    // A response that is finished all the same is the error of an export that did not begin in time.
    return response.writableFinished ? 'failed' : 'cut_off';
  } finally {
    await lines.return();
  }
}

const bufferedBytes = 256 * 1024;

async function* withFirst(
  first: IteratorResult<Buffer, void>,
  rest: AsyncGenerator<Buffer, void, void>,
  onError: () => void,
) {
  if (first.done !== true) yield first.value;
  try {
    yield* rest;
  } catch (error) {
    onError();
    throw error;
  }
}

function startResponse(request: Request, response: Response): Response {
  const encoding = chooseEncoding(request);
  prepareHeaders(response);
  response.setHeader('Content-Type', 'application/x-ndjson');
  response.setHeader('Cache-Control', 'no-store');
  response.setHeader('Vary', 'Authorization, Accept-Encoding');
  if (encoding !== undefined) response.setHeader('Content-Encoding', encoding);
  return response.status(200);
}

const scopeOf: Readonly<Record<ExportTable, Scope>> = {
  products: 'catalog:read',
  collections: 'catalog:read',
  orders: 'orders:read',
};

interface ExportOptions {
  readonly tables: readonly ExportTable[];
  readonly format: ExportFormat;
  /** Names of parameters that an export does not have. */
  readonly ignored: readonly string[];
}

/** @throws ApiError FORBIDDEN before BAD_USER_INPUT when the credential can read none of it (D1) */
function readOptions(query: string, { scopes }: Principal): ExportOptions {
  const allowed = exportTables.filter((table) => scopes.includes(scopeOf[table]));
  if (allowed.length === 0) throw createScopeError([['catalog:read'], ['orders:read']], scopes);
  const parameters = parseQueryString(query);
  const format = readOne(parameters, 'format') ?? 'snapshot';
  if (!isExportFormat(format)) throw createInputError('format', `one of ${exportFormats.join(', ')}`, format);
  const types = readOne(parameters, 'types');
  const tables = types === undefined ? allowed : parseExportTables(types);
  if (tables === undefined) {
    throw createInputError('types', `one or more of ${exportTables.join(', ')}, separated by commas`, types ?? '');
  }
  const refused = tables.find((table) => !allowed.includes(table));
  if (refused !== undefined) throw createScopeError([[scopeOf[refused]]], scopes);
  return { tables, format, ignored: parameters.listIgnored() };
}

const isExportFormat = (text: string): text is ExportFormat => (exportFormats as readonly string[]).includes(text);

function readOne(parameters: QueryParameters, name: string): string | undefined {
  const values = parameters.get(name) ?? [];
  if (values.length > 1) throw new ApiError('BAD_USER_INPUT', `${name}: expected once, got ${values.length} times.`);
  return values[0];
}

const createInputError = (name: string, expected: string, got: string): ApiError =>
  new ApiError('BAD_USER_INPUT', `${name}: expected ${expected}, got ${JSON.stringify(got.slice(0, 60))}.`);

const createFullError = (maximum: number): ApiError =>
  new ApiError(
    'SERVICE_UNAVAILABLE',
    `Expected at most ${maximum} exports at a time; that many are running. Try again later.`,
    { headers: { 'Retry-After': '10' } },
  );
