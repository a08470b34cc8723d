import { feedTypes, listChanges, readListChangesDocument } from '../../../../rest/feed/listChanges';
import type { QueryParameters } from '../../../../rest/operation';
import { nameParameter, readVariables } from '../../../../rest/operation';
import { operations, readOperationDocument } from '../../../../rest/operations';
import type { Scope } from '../../../auth/api-key';
import { scopes } from '../../../auth/api-key';
import { ProductTooLargeError } from '../../../catalog/answer-size';
import type { AnswerRequest, Graph } from '../../../graph/create-graph';
import type { GraphqlContext } from '../../../graph/operations';
import type { OpenApiDocument, OpenApiOperation, OpenApiSchema } from '../reference/openapi';
import type { Body } from './fit-answer';
import { fitAnswer, sizeProperties } from './fit-answer';
import type { JsonSchema, Tool, ToolArguments } from './tool';
import { inputOf, setOf, text } from './tool';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';

/** `listProducts` → `list_products`. */
const toSnakeCase = (name: string): string => name.replaceAll(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);

/**
 * Runs a prepared document and returns its body as an object.
 * @throws ApiError ANSWER_TOO_LARGE for a product that would have to be streamed
 */
async function readAnswer<Body extends object>(graph: Graph, request: Omit<AnswerRequest, 'knownTags'>): Promise<Body> {
  const { body } = await graph.answer({ ...request, knownTags: [] });
  if (Buffer.isBuffer(body)) return JSON.parse(body.toString()) as Body;
  body?.cancel();
  throw new ProductTooLargeError();
}

/** Tools for the REST operations, from their documents and the schemas of their OpenAPI document. */
export function createOperationTools(graph: Graph, openApi: OpenApiDocument): readonly Tool[] {
  return operations.map((operation): Tool => {
    const { operationId } = operation;
    const described = openApi.paths[operation.path]?.get as OpenApiOperation;
    const more = members[operationId] ?? {};
    const own = filters[operationId] ?? {};
    const prepare = (document: string) =>
      graph.prepare(document, (data) => ({
        ...operation.toBody(data),
        cursors: (Object.values(data)[0] as { edges?: readonly Edge[] } | null)?.edges?.map(({ cursor }) => cursor),
      }));
    const document = withCursors(withOrder(readOperationDocument(operationId)));
    const wide = prepare(withMembers(document, more));
    // Pages of products are as long as in REST unless more is requested.
    const usual = operationId === 'listProducts' ? prepare(document) : wide;
    const inputs = described.parameters
      .filter(({ in: location }) => location !== 'header')
      .map((parameter) => ({ ...parameter, argument: toSnakeCase(parameter.name) }));
    const schema = described.responses['200']?.content?.['application/json']?.schema as OpenApiSchema;
    return {
      name: toSnakeCase(operationId),
      title: described.summary,
      description: firstSentence(described.description),
      scopes: described.security.flatMap((scheme) => (scheme['oauth2'] ?? []) as readonly Scope[]),
      inputSchema: inputOf(
        {
          ...Object.fromEntries(
            inputs.map(({ argument, description, schema: type }) => [
              argument,
              { ...toCompactSchema(type), description: firstSentence(description) },
            ]),
          ),
          ...Object.fromEntries(Object.entries(own).map(([name, { schema: type }]) => [name, type])),
          ...(inputs.length > 0 &&
            sizeProperties(
              [...membersOf(schema), ...Object.keys(more)],
              usual === wide ? 'all' : 'all up to updated_at',
            )),
        },
        inputs.filter(({ required }) => required).map(({ argument }) => argument),
      ),
      outputSchema: toOutline(schema),
      run: async ({ principal }, given) => {
        const { filter, ...variables } = readVariables(operation.parameters, {
          path: { productId: String(given['product_id']) },
          query: toQuery(given),
        });
        const chosen = Object.entries(own).map(([name, { toFilter }]) => name in given && toFilter(given[name]));
        const operands = {
          ...variables,
          filter: Object.assign({}, filter, ...chosen) as object,
          ...(/\S/.test((given['search'] ?? '') as string) && { sortKey: 'RELEVANCE' }),
        };
        const isWide = (given['fields'] as readonly string[] | undefined)?.some((name) => name in more);
        const prepared = isWide ? wide : usual;
        const read = readAnswer<Body>(graph, { operation: prepared, principal, variables: operands });
        return fitAnswer(await read.catch(nameParameter), given);
      },
    };
  });
}

/** Members that REST does not show (D24), with their selections in the graph. */
const ofProducts = {
  url: 'url',
  images: 'images { url alt_text: altText position }',
  collections: 'collections { id title }',
  memberships: 'memberships { collection_external_id: collectionExternalId position }',
};
const members: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  listProducts: ofProducts,
  getProduct: ofProducts,
  listOrders: { line_items: 'lineItems { title sku quantity unit_price: unitPrice total }' },
};

/** Arguments that REST does not have, with their fields in a filter. */
const filters: Readonly<Record<string, Readonly<Record<string, OwnArgument>>>> = {
  listProducts: {
    search: {
      schema: { ...text, description: 'Words in title, handle, vendor, tags or SKU, in any order. Best match first.' },
      toFilter: (search) => ({ search }),
    },
    collection_id: { schema: text, toFilter: (id) => ({ collectionIdIn: [id] }) },
    max_stock: {
      schema: { type: 'integer', minimum: -1_000_000_000, maximum: 1_000_000_000 },
      toFilter: (max) => ({ totalStock: { max } }),
    },
  },
  listOrders: {
    order_number: { schema: text, toFilter: (number) => ({ orderNumberIn: [number] }) },
    sku: { schema: { ...text, description: 'SKU of a line item.' }, toFilter: (sku) => ({ skuIn: [sku] }) },
  },
};

interface OwnArgument {
  readonly schema: JsonSchema;
  readonly toFilter: (value: unknown) => object;
}

interface Edge {
  readonly cursor: string;
}

/** Adds the cursor of each object, so that a list can be truncated and continued anywhere. */
const withCursors = (document: string): string => document.replace('pageInfo {', 'edges { cursor } pageInfo {');

const withMembers = (document: string, more: Readonly<Record<string, string>>): string =>
  document.replace(
    'updated_at: updatedAt',
    ['$&', ...Object.entries(more).map(([name, selection]) => `${name}: ${selection}`)].join(' '),
  );

/** Adds the sort order: a search has its own. */
const withOrder = (document: string): string =>
  document
    .replace('$filter: ProductFilter', '$filter: ProductFilter, $sortKey: ProductSortKey! = CREATED_AT')
    .replace('products(first: $first, after: $after, filter: $filter', '$&, sortKey: $sortKey');

/** The change feed, page by page. */
export function createChangesTool(graph: Graph): Tool {
  const operation = graph.prepare(readListChangesDocument(), listChanges.toBody as (data: object) => object);
  return {
    name: 'list_changes',
    title: 'Change feed',
    description: 'Objects changed after a cursor, in their latest state, oldest change first.',
    scopes: ['catalog:read', 'orders:read'],
    inputSchema: inputOf({
      after: { ...text, description: '`next_cursor` of the previous page, or `now`. Default: the start of the feed.' },
      types: setOf(feedTypes),
      limit: { type: 'integer', minimum: 1, maximum: 200 },
      ...sizeProperties(['type', 'id', 'external_id', 'deleted', 'object']),
    }),
    outputSchema: pageOutline,
    run: async ({ principal }, given) => {
      const { types } = given as { readonly types?: readonly string[] };
      const variables = {
        ...listChanges.readVariables(toQuery({ ...given, ...(types && { types: types.join() }) })),
        hasCursors: true,
      };
      const { data, ...page } = await readAnswer<ChangesBody>(graph, { operation, principal, variables });
      const cursors = data.map(({ cursor }) => cursor);
      return fitAnswer({ data: data.map(({ cursor: _, ...entry }) => entry), ...page, cursors }, given);
    },
  };
}

interface ChangesBody {
  readonly data: readonly Edge[];
}

/** Arguments are parameters of the query under the same names. */
function toQuery(given: ToolArguments): QueryParameters {
  const values = given as Readonly<Record<string, string | number | boolean | undefined>>;
  return { get: (name) => (values[name] === undefined ? undefined : [String(values[name])]) };
}

const firstSentence = (description: string): string =>
  /^[^]*?\.(?=\s|$)/.exec(description.trim())?.[0].replaceAll('\n', ' ') ?? description.trim();

const pageOutline: JsonSchema = {
  type: 'object',
  properties: {
    data: { type: 'array', items: { type: 'object' } },
    has_more: { type: 'boolean' },
    next_cursor: { type: ['string', 'null'] },
  },
};

/** The schema of a parameter: short, because the tools take up the model's context. */
function toCompactSchema({ type, enum: words, minimum = 0, maximum = 0 }: OpenApiSchema): JsonSchema {
  if (type === 'integer') return { type, minimum, maximum };
  if (type === 'boolean') return { type };
  return words === undefined ? text : { type: 'string', enum: words };
}

/** The schema of a response. The members of its objects are the choices of `fields`. */
const toOutline = ({ properties = {} }: OpenApiSchema): JsonSchema => ({
  type: 'object',
  properties: Object.fromEntries(
    Object.entries(properties).map(([name, { type, items }]) => [
      name,
      items === undefined ? { type } : { type, items: { type: 'object' } },
    ]),
  ),
});

/** The member names of a response's objects. */
const membersOf = ({ properties }: OpenApiSchema): readonly string[] =>
  Object.keys((properties?.['data']?.items ?? properties?.['data'])?.properties ?? {});

const readDocument = (name: string): string => readFileSync(join(__dirname, 'operations', `${name}.graphql`), 'utf8');

const outputSchema: JsonSchema = { type: 'object', properties: { data: { type: 'object' } }, required: ['data'] };

/** Figures of the shop, for questions about how many and how much. */
export function createFigureTools(graph: Graph): readonly Tool[] {
  const ofProducts = graph.prepare(readDocument('get_product_figures'), ({ productFigures }) => ({
    data: productFigures,
  }));
  const ofOrders = graph.prepare(readDocument('get_order_figures'), ({ orderFigures }) => ({ data: orderFigures }));
  return [
    {
      name: 'get_product_figures',
      title: 'Product totals',
      description: 'Product counts by status, vendor, type, tag and lowest price, and products out of stock.',
      scopes: ['catalog:read'],
      inputSchema: inputOf({
        first: {
          type: 'integer',
          minimum: 1,
          maximum: 200,
          description: 'Number of vendors, types and tags. Default 10.',
        },
      }),
      outputSchema,
      run: ({ principal }, given) => readAnswer(graph, { operation: ofProducts, principal, variables: given }),
    },
    {
      name: 'get_order_figures',
      title: 'Order totals',
      description: 'Order counts and revenue by currency, in total and by day, week or month.',
      scopes: ['orders:read'],
      inputSchema: inputOf({
        interval: { type: 'string', enum: ['DAY', 'WEEK', 'MONTH'], description: 'Default MONTH.' },
        time_zone: { ...text, description: 'Such as Europe/Berlin. Default UTC.' },
        from: { ...text, description: 'UTC timestamp, inclusive.' },
        to: { ...text, description: 'UTC timestamp, exclusive.' },
        financial_status: text,
        currency: text,
        best_sellers: {
          type: 'integer',
          minimum: 1,
          maximum: 200,
          description: 'Number of best-selling products.',
        },
        best_sellers_by: { type: 'string', enum: ['UNITS', 'REVENUE'] },
      }),
      outputSchema,
      run: ({ principal }, given) =>
        readAnswer(graph, {
          operation: ofOrders,
          principal,
          variables: { ...given, has_best_sellers: 'best_sellers' in given },
        }).catch(nameParameter),
    },
  ];
}

/** Runs a GraphQL document with everything that applies on /graphql. @returns its response */
export type RunDocument = (
  context: GraphqlContext,
  source: string,
  variables: Readonly<Record<string, unknown>>,
) => Promise<{ readonly data?: unknown; readonly errors?: readonly { readonly message: string }[] }>;

/** One tool for all documents of the operator's manifest (TRUSTED_DOCUMENTS_FILE), to keep the list of tools short. */
export function createDocumentTool(bodies: ReadonlyMap<string, string>, run: RunDocument): Tool | undefined {
  if (bodies.size === 0) return undefined;
  return {
    name: 'run_document',
    title: 'Run a trusted GraphQL document',
    description: 'Runs a document by its name.',
    scopes,
    inputSchema: inputOf({ name: { type: 'string', enum: [...bodies.keys()] }, variables: { type: 'object' } }, [
      'name',
    ]),
    outputSchema: {
      type: 'object',
      properties: { data: { type: ['object', 'null'] }, errors: { type: 'array', items: { type: 'object' } } },
    },
    run: ({ beginOperation }, { name, variables = {} }) =>
      run(beginOperation(), bodies.get(name as string) as string, variables as Readonly<Record<string, unknown>>),
  };
}
