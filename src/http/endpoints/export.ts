import type { RequestHandler, Request, Response, Router } from 'express';
import type { QueryParameters, Rule } from '../../../rest/operation';
import { choice, flag, listOf, parseQueryString, readParameter, text, toIgnoredHeader } from '../../../rest/operation';
import type { Scope } from '../../auth/api-key';
import type { Principal } from '../../auth/principal';
import { createScopeError } from '../../auth/principal';
import { enterInTime, FairQueue } from '../../common/fair-queue';
import { createBusyError } from '../../catalog/export/export-shop';
import type { ExportShape } from '../../catalog/export/export-csv';
import { csvTypes } from '../../catalog/export/csv-table';
import { isLinkTemplate, linkExample } from '../../catalog/export/google-row';
import type { ExportTable } from '../../catalog/rows/export-tables';
import { exportFormats, exportTables } from '../../catalog/rows/export-tables';
import { ApiError } from '../../errors/api-error';
import type { ExportOutcome } from '../../observability/metrics';
import { createAccessSteps } from '../access/access-steps';
import type { ExportEndpoint, HttpDependencies } from '../http-dependencies';
import { principalOf } from '../request/request';
import { chooseEncoding } from '../response/send';
import { sendLong } from '../response/send-long';
import { exportPatienceMilliseconds, queryOf, routes } from '../routes';
import { createStrictRouter, mountRoute } from './mount-route';

/**
 * `GET /export`: everything that the credential may read of its shop, as NDJSON, CSV or a feed, in one response
 * (docs/snapshot-format.md).
 */
export function mountExport(endpoint: ExportEndpoint, dependencies: HttpDependencies): Router {
  const router = createStrictRouter();
  const { maximum } = endpoint;
  const reads = new FairQueue({ slots: maximum, slotsPerQueue: maximum, reservedSlots: 0, size: Infinity });
  /** The export of each shop that has not been sent completely. */
  const running = new Map<string, Response>();

  async function send(request: Request, response: Response, { shape, ignored }: Options): Promise<ExportOutcome> {
    const { shop, scopes } = principalOf(response);
    const ended = new AbortController();
    const { signal } = ended;
    async function* read(): AsyncGenerator<Buffer, void, void> {
      const createError = (): ApiError => createFullError(maximum);
      const leave = await enterInTime(reads, shop.id, {
        milliseconds: exportPatienceMilliseconds,
        signal,
        createError,
      });
      const call = {
        signal,
        shopId: shop.id,
        describesShop: scopes.includes('account:read'),
        isExclusive: true,
        connectionTimeoutMilliseconds: dependencies.requestTimeoutMilliseconds,
      };
      try {
        yield* endpoint.start(call, shape);
      } finally {
        leave();
      }
    }
    if (running.has(shop.id)) throw createBusyError();
    running.set(shop.id, response);
    const end = (): void => void (running.get(shop.id) === response && running.delete(shop.id));
    response.once('finish', end).once('close', end);
    const long = {
      headers: [...headersOf(shape), ...toIgnoredHeader(ignored)],
      encoding: chooseEncoding(request),
      chunks: read(),
      cancel: () => ended.abort(new Error('The client disconnected.')),
    };
    try {
      if (await sendLong(request, response, long, dependencies)) return 'complete';
      // If the response is nevertheless complete, it is the error of an export that did not begin in time.
      return response.writableFinished ? 'failed' : 'cut_off';
    } finally {
      // The client may have disconnected before the listeners were added.
      if (response.destroyed) end();
    }
  }

  const answer: RequestHandler = async (request, response) => {
    const options = readOptions(queryOf(request.originalUrl), principalOf(response));
    const onEnded = request.method === 'HEAD' ? undefined : endpoint.onStarted();
    let outcome: ExportOutcome = 'failed';
    try {
      outcome = await send(request, response, options);
    } catch (error) {
      if (error instanceof ApiError && error.cause === undefined) outcome = 'refused';
      throw error;
    } finally {
      onEnded?.(outcome);
    }
  };
  mountRoute(router, routes.export, [...createAccessSteps(routes.export, dependencies), answer]);
  return router;
}

const createFullError = (maximum: number): ApiError =>
  new ApiError(
    'SERVICE_UNAVAILABLE',
    `The maximum number of concurrent exports (${maximum}) has been reached. Try again later.`,
    { headers: { 'Retry-After': '10' } },
  );

function headersOf(shape: ExportShape): readonly string[] {
  const common = ['Cache-Control', 'no-store', 'Vary', 'Authorization, Accept-Encoding', 'Content-Type'];
  if ('google' in shape && !shape.google.isReport) {
    const name = ['Content-Disposition', 'attachment; filename="google.tsv"'];
    return [...common, 'text/tab-separated-values; charset=utf-8', ...name];
  }
  return 'csv' in shape
    ? [
        ...[...common, 'text/csv; charset=utf-8; header=present'],
        ...['Content-Disposition', `attachment; filename="${shape.csv.type}.csv"`],
      ]
    : [...common, 'application/x-ndjson'];
}

const scopeOf: Readonly<Record<ExportTable, Scope>> = {
  products: 'catalog:read',
  collections: 'catalog:read',
  orders: 'orders:read',
};

const formats = choice([...exportFormats, 'csv', 'google']);
const tableNames = listOf(exportTables);
const csvType = choice(csvTypes);
const linkTemplate: Rule<string | null> = {
  ...text,
  parse: (given) => (isLinkTemplate(given) ? given : undefined),
  expected: () => linkExample,
};

type Options = ReturnType<typeof readOptions>;

/**
 * `ignored` are the names of parameters that an export does not have.
 * @throws ApiError FORBIDDEN before BAD_USER_INPUT when the credential can read none of it (D1)
 */
function readOptions(query: string, { scopes }: Principal) {
  if (!Object.values(scopeOf).some((scope) => scopes.includes(scope)))
    throw createScopeError([['catalog:read'], ['orders:read']], scopes);
  const parameters = parseQueryString(query);
  const shape = readShape(parameters, scopes);
  return { shape, ignored: parameters.listIgnored() };
}

function readShape(parameters: QueryParameters, scopes: readonly Scope[]): ExportShape {
  const demandScope = (table: ExportTable): void => {
    if (!scopes.includes(scopeOf[table])) throw createScopeError([[scopeOf[table]]], scopes);
  };
  const isOn = (name: string): boolean => readParameter(parameters, name, flag) ?? false;
  const format = readParameter(parameters, 'format', formats) ?? 'snapshot';
  if (format === 'csv') {
    const type = readParameter(parameters, 'type', csvType);
    if (type === null)
      throw new ApiError('BAD_USER_INPUT', `type: expected one of ${csvTypes.join(', ')} with format=csv, got none.`);
    demandScope(type === 'variants' ? 'products' : type);
    return { csv: { type, hasBom: isOn('bom'), escapesFormulas: isOn('escape_formulas') } };
  }
  if (format === 'google') {
    demandScope('products');
    const link = readParameter(parameters, 'link', linkTemplate) ?? undefined;
    return { google: { link, isReport: isOn('report') } };
  }
  const allowed = exportTables.filter((table) => scopes.includes(scopeOf[table]));
  const tables = readParameter(parameters, 'types', tableNames) ?? allowed;
  tables.forEach(demandScope);
  return { tables, format };
}
