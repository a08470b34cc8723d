import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import type { RequestHandler, Request, Response, Router } from 'express';
import type { QueryParameters } from '../../../rest/query-string';
import { parseQueryString, toIgnoredHeader } from '../../../rest/query-string';
import type { Principal, Scope } from '../../auth/principal';
import { createScopeError } from '../../auth/scope-error';
import { createBusyError } from '../../catalog/export/export-shop';
import type { ExportShape } from '../../catalog/export/export-csv';
import type { CsvType } from '../../catalog/export/csv-table';
import { csvTypes } from '../../catalog/export/csv-table';
import type { ExportFormat, ExportTable } from '../../catalog/rows/export-tables';
import { exportFormats, exportTables, parseExportTables } from '../../catalog/rows/export-tables';
import { toDatabaseApiError } from '../../database/database-failure';
import { ApiError } from '../../errors/api-error';
import type { ExportOutcome } from '../../observability/metrics';
import { createAccessSteps } from '../access/access-steps';
import type { ExportEndpoint, HttpDependencies } from '../http-dependencies';
import { countBytes, principalOf, requestIdOf } from '../request/request-state';
import { holdBytes, resetConnection } from '../request/buffered-bytes';
import { chooseEncoding, createEncodingStream } from '../response/content-encoding';
import { prepareHeaders } from '../response/send';
import { queryOf, routes } from '../routes';
import type { Leave } from '../../common/reader-slots';
import { ReaderSlots, ReadingPace } from '../../common/reader-slots';
import { createStrictRouter, mountRoute } from './mount-route';

/** What may be in the buffers when the last line is made, and an encoder. */
const bytesLeft = 8 * 1024 * 1024;

/**
 * `GET /export`: everything that the credential may read of its shop, as NDJSON, in one response
 * (docs/snapshot-format.md).
 */
export function mountExport(endpoint: ExportEndpoint, dependencies: HttpDependencies): Router {
  const router = createStrictRouter();
  const slots = new ReaderSlots({
    maximum: endpoint.maximum,
    perCaller: 1,
    createFullError: () => createFullError(endpoint.maximum),
    createBusyError,
  });
  const answer: RequestHandler = async (request, response) => {
    const { ignored, ...options } = readOptions(queryOf(request.originalUrl), principalOf(response));
    const [name, value] = toIgnoredHeader(ignored);
    if (name !== undefined && value !== undefined) response.setHeader(name, value);
    if (request.method === 'HEAD') return void startResponse(request, response, options).end();
    const onEnded = endpoint.onStarted();
    let outcome: ExportOutcome = 'failed';
    try {
      outcome = await new RunningExport(request, response, options, endpoint, dependencies).send(slots);
    } catch (error) {
      if (error instanceof ApiError && error.cause === undefined) outcome = 'refused';
      throw error;
    } finally {
      onEnded(outcome);
    }
  };
  mountRoute(router, routes.export, dependencies, [...createAccessSteps(routes.export, dependencies), answer]);
  return router;
}

interface ExportOptions {
  readonly tables: readonly ExportTable[];
  readonly shape: ExportShape;
}

class RunningExport {
  readonly #pace = new ReadingPace();

  constructor(
    private readonly request: Request,
    private readonly response: Response,
    private readonly options: ExportOptions,
    private readonly endpoint: ExportEndpoint,
    private readonly dependencies: HttpDependencies,
  ) {}

  /**
   * The status is sent with the first line: what fails before that is answered as an error, what fails later ends the
   * connection.
   */
  async send(slots: ReaderSlots): Promise<ExportOutcome> {
    const { request, response, options } = this;
    const { shop, scopes } = principalOf(response);
    const ended = new AbortController();
    response.once('close', () => ended.abort(new Error('The client disconnected.')));
    // The steps in front and the pipeline listen too.
    response.setMaxListeners(20);
    const leave = await slots.enter(shop.id, {
      pace: this.#pace,
      giveWay: () => this.#end('another shop asked for one, and its client read most slowly'),
      isOver: () => response.headersSent || ended.signal.aborted,
    });
    countBytes(response);
    const call = {
      signal: ended.signal,
      shopId: shop.id,
      describesShop: scopes.includes('account:read'),
      isExclusive: true,
      connectionTimeoutMilliseconds: this.dependencies.requestTimeoutMilliseconds,
    };
    const made = this.endpoint.start(call, options.shape);
    const lines = this.#pace.measure(made);
    // Known where it is thrown: the response that it ends closes as one does that the client left, earlier or later.
    let isFailed = false;
    const onError = (): void => void (isFailed = !ended.signal.aborted);
    try {
      const first = await lines.next();
      // Answered already: it took too long.
      if (response.headersSent) return 'failed';
      const all = this.#watch(first, lines, onError, leave);
      const body = Readable.from(all, { objectMode: false, highWaterMark: bufferedBytes });
      const sent = startResponse(request, response, options);
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
      leave();
    }
  }

  async *#watch(
    first: IteratorResult<Buffer, void>,
    rest: AsyncGenerator<Buffer, void, void>,
    onError: () => void,
    leave: Leave,
  ) {
    try {
      for (let next = first; next.done !== true; next = await rest.next()) {
        yield next.value;
      }
    } catch (error) {
      onError();
      throw error;
    }
    // The snapshot is released: the remainder is memory.
    leave(true);
    this.response.once('close', holdBytes(this.response, bytesLeft));
  }

  /** Ends it as a client sees it: without a last line. */
  #end(reason: string): void {
    const requestId = requestIdOf(this.response);
    this.dependencies.log({ level: 'warn', message: `an export was ended: ${reason}`, requestId });
    resetConnection(this.request.socket);
  }
}

const bufferedBytes = 256 * 1024;

const createFullError = (maximum: number): ApiError =>
  new ApiError(
    'SERVICE_UNAVAILABLE',
    `Expected at most ${maximum} exports at a time; that many are running. Try again later.`,
    { headers: { 'Retry-After': '10' } },
  );

function startResponse(request: Request, response: Response, { shape }: ExportOptions): Response {
  const csv = 'csv' in shape ? shape.csv : undefined;
  const encoding = chooseEncoding(request);
  prepareHeaders(response);
  response.setHeader(
    'Content-Type',
    csv === undefined ? 'application/x-ndjson' : 'text/csv; charset=utf-8; header=present',
  );
  if (csv !== undefined) response.setHeader('Content-Disposition', `attachment; filename="${csv.type}.csv"`);
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

/**
 * `ignored` are the names of parameters that an export does not have.
 * @throws ApiError FORBIDDEN before BAD_USER_INPUT when the credential can read none of it (D1)
 */
function readOptions(query: string, { scopes }: Principal): ExportOptions & { readonly ignored: readonly string[] } {
  const allowed = exportTables.filter((table) => scopes.includes(scopeOf[table]));
  if (allowed.length === 0) throw createScopeError([['catalog:read'], ['orders:read']], scopes);
  const parameters = parseQueryString(query);
  const format = readOne(parameters, 'format') ?? 'snapshot';
  if (format === 'csv') return { ...readCsv(parameters, scopes), ignored: parameters.listIgnored() };
  if (!isExportFormat(format)) throw createInputError('format', `one of ${exportFormats.join(', ')}, csv`, format);
  const types = readOne(parameters, 'types');
  const tables = types === undefined ? allowed : parseExportTables(types);
  if (tables === undefined) {
    throw createInputError('types', `one or more of ${exportTables.join(', ')}, separated by commas`, types ?? '');
  }
  const refused = tables.find((table) => !allowed.includes(table));
  if (refused !== undefined) throw createScopeError([[scopeOf[refused]]], scopes);
  return { tables, shape: { tables, format }, ignored: parameters.listIgnored() };
}

function readCsv(parameters: QueryParameters, scopes: readonly Scope[]): ExportOptions {
  const type = readOne(parameters, 'type');
  if (!isCsvType(type)) throw createInputError('type', `one of ${csvTypes.join(', ')}`, type ?? '');
  const table = type === 'variants' ? 'products' : type;
  if (!scopes.includes(scopeOf[table])) throw createScopeError([[scopeOf[table]]], scopes);
  const isOn = (name: string): boolean => {
    const text = readOne(parameters, name) ?? 'false';
    if (text !== 'true' && text !== 'false') throw createInputError(name, 'true or false', text);
    return text === 'true';
  };
  const csv = { type, hasBom: isOn('bom'), escapesFormulas: isOn('escape_formulas') };
  return { tables: [table], shape: { csv } };
}

const isCsvType = (text: string | undefined): text is CsvType =>
  (csvTypes as readonly (string | undefined)[]).includes(text);

const isExportFormat = (text: string): text is ExportFormat => (exportFormats as readonly string[]).includes(text);

function readOne(parameters: QueryParameters, name: string): string | undefined {
  const values = parameters.get(name) ?? [];
  if (values.length > 1) throw new ApiError('BAD_USER_INPUT', `${name}: expected once, got ${values.length} times.`);
  return values[0];
}

const createInputError = (name: string, expected: string, got: string): ApiError =>
  new ApiError('BAD_USER_INPUT', `${name}: expected ${expected}, got ${JSON.stringify(got.slice(0, 60))}.`);
