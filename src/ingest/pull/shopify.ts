import type { FileHandle } from 'node:fs/promises';
import { z } from 'zod';
import { isUrl } from '../../common/is-url';
import { hideSecrets } from '../../common/terminal';
import type { Format } from '../formats/format';
import { shopifyCollectionsBulk } from '../formats/shopify-collections-bulk';
import { shopifyOrdersBulk } from '../formats/shopify-orders-bulk';
import { shopifyProductsBulk } from '../formats/shopify-products-bulk';
import type { Platform, PulledType, PullTask } from './platform';
import type { JsonAnswer } from './platform-client';
import { pullFailure, RefusedByPlatform } from './platform-client';
import { bulkQuery } from './shopify-queries';

/**
 * The token of an app installed in the shop, or its client credentials, which Shopify exchanges for a token that is
 * valid for a day.
 */
type ShopifyCredential = { readonly token: string } | { readonly clientId: string; readonly clientSecret: string };

/** Supported for a year. After that, Shopify uses the oldest version that it still supports. */
const shopifyVersion = '2026-01';

const formats = {
  products: shopifyProductsBulk,
  collections: shopifyCollectionsBulk,
  orders: shopifyOrdersBulk,
} as const satisfies Record<PulledType, Format>;

/** The longest polling interval. Operations take seconds to hours, so polling starts at one second and slows down. */
const longestPollMilliseconds = 15_000;
/** Shopify allows bulk operations ten days; a pull waits no longer than this. */
const longestOperationMilliseconds = 24 * 3_600_000;
/** How long to wait for another operation of the same app. */
const longestQueueMilliseconds = 3_600_000;
const queueMilliseconds = 10_000;
/** Attempts per type, if an operation fails or its result has expired. */
const attempts = 3;

/** Shopify sends integers beyond 32 bits as strings. */
const count = z.union([z.int().nonnegative(), z.string().regex(/^\d{1,15}$/)], 'expected an integer').transform(Number);

const operationSchema = z.object({
  id: z.string(),
  status: z.string(),
  errorCode: z.string().nullish(),
  objectCount: count.nullish(),
  fileSize: count.nullish(),
  url: z
    .string()
    .refine((text) => isUrl(text), 'expected a URL')
    .nullish(),
});
type Operation = z.output<typeof operationSchema>;

const tokenAnswer = z.object({ access_token: z.string().regex(/^[\x21-\x7e]+$/, 'expected a token') });

const started = z.object({
  bulkOperationRunQuery: z.object({
    bulkOperation: operationSchema.nullish(),
    userErrors: z.array(z.object({ message: z.string(), code: z.string().nullish() })).nullish(),
  }),
});

const polled = z.object({ node: operationSchema.nullish() });

const failure = z.object({
  errors: z
    .array(z.object({ message: z.string(), extensions: z.object({ code: z.string().nullish() }).nullish() }))
    .min(1),
});

const answerOf = <Data extends z.ZodType>(data: Data) =>
  z.union(
    [z.object({ data, errors: z.array(z.never()).nullish() }), failure],
    'expected the requested data, or errors with messages',
  );

/** Runs a GraphQL operation and validates its data. */
type Run = ReturnType<typeof createRun>;

/** Pulls from Shopify by bulk operations of its Admin GraphQL API. */
export const createShopify = (credential: ShopifyCredential): Platform => ({
  formats,
  async open(task) {
    const token = await tokenOf(task, credential);
    const run = createRun(task, token);
    return (type, file) => pullType(task, type, file, run);
  },
});

async function tokenOf({ client, url }: PullTask, credential: ShopifyCredential): Promise<string> {
  if ('token' in credential) {
    hideSecrets(credential.token);
    return credential.token;
  }
  const { clientId, clientSecret } = credential;
  hideSecrets(clientSecret);
  const body = { client_id: clientId, client_secret: clientSecret, grant_type: 'client_credentials' };
  const request = { url: new URL('/admin/oauth/access_token', url), body, advice: { ...advice, 400: token } };
  const { value } = await client.json(request, tokenAnswer);
  hideSecrets(value.access_token);
  return value.access_token;
}

async function pullType(task: PullTask, type: PulledType, file: FileHandle, run: Run): Promise<void> {
  const { store, log } = task;
  const { bytes, operation: earlier } = store.progress(type) ?? {};
  // A power failure may have lost the end of the file.
  if ((await file.stat()).size === bytes) return;
  let id = earlier;
  for (let attempt = 1; ; attempt += 1) {
    id ??= await start(task, type, run);
    await store.note(type, { operation: id });
    const operation = await finish(task, type, id, run);
    const fault = await fetchResult(task, operation, file);
    if (fault === undefined) break;
    if (attempt === attempts)
      throw pullFailure(task.url.host, `${type}: ${fault} after ${attempts} attempts; try again later`);
    log(`${type}: ${fault}; running the operation again`);
    id = undefined;
  }
  await store.note(type, { operation: id, bytes: (await file.stat()).size });
}

/** Starts the operation once other operations of the app have ended. @returns its id */
async function start({ url, store, wait, log }: PullTask, type: PulledType, run: Run): Promise<string> {
  const query = bulkQuery(type, store.since);
  for (let waited = 0; ; waited += queueMilliseconds) {
    const { bulkOperationRunQuery } = await run(started, startDocument, { query });
    const { bulkOperation } = bulkOperationRunQuery;
    const userErrors = bulkOperationRunQuery.userErrors ?? [];
    if (bulkOperation != null && userErrors.length === 0) return bulkOperation.id;
    const messages = userErrors.map(({ message }) => message).join('; ');
    const isBusy = userErrors.some(
      ({ code, message }) =>
        code === 'OPERATION_IN_PROGRESS' || code === 'LIMIT_REACHED' || /in progress/i.test(message),
    );
    if (!isBusy || waited >= longestQueueMilliseconds) {
      throw pullFailure(url.host, `${type}: ${messages === '' ? 'no bulk operation was started' : messages}`);
    }
    if (waited === 0) log(`${type}: waiting for another bulk operation of this app in the shop`);
    await wait(queueMilliseconds);
  }
}

/** Polls the operation until it ends. */
async function finish({ url, wait, log }: PullTask, type: PulledType, id: string, run: Run): Promise<Operation> {
  let shown = '';
  for (let waited = 0, pause = 1_000; ; pause = Math.min(pause * 1.5, longestPollMilliseconds)) {
    const { node } = await run(polled, pollDocument, { id });
    if (node == null) return { id, status: 'EXPIRED' };
    if (!['CREATED', 'RUNNING', 'CANCELING'].includes(node.status)) return node;
    if (waited >= longestOperationMilliseconds) {
      throw pullFailure(url.host, `${type}: bulk operation ${id} timed out after 24 hours`);
    }
    const line = `${type}: objects so far: ${node.objectCount ?? 0}`;
    if (line !== shown) log(line);
    shown = line;
    await wait(pause);
    waited += pause;
  }
}

/** @returns why the operation has to be run again; undefined when its result is in the file */
async function fetchResult(
  { client, url }: PullTask,
  { status, errorCode, url: resultUrl, fileSize }: Operation,
  file: FileHandle,
): Promise<string | undefined> {
  if (status === 'EXPIRED') return 'the result has expired';
  if (status === 'FAILED' && errorCode === 'ACCESS_DENIED') throw pullFailure(url.host, denied);
  if (status !== 'COMPLETED') {
    return `the bulk operation ended with status ${status}${errorCode == null ? '' : ` (${errorCode})`}`;
  }
  await file.truncate(0);
  // An empty result has no file.
  if (resultUrl == null) return undefined;
  try {
    await client.download({ url: new URL(resultUrl) }, file, fileSize ?? undefined);
    return undefined;
  } catch (error) {
    if (error instanceof RefusedByPlatform) return `downloading the result failed with status ${error.status}`;
    throw error;
  }
}

const denied =
  'the token lacks the required scopes: add read_products, read_inventory and read_orders (read_all_orders for orders older than 60 days, ' +
  "and access to customers' names), or pass fewer --types";

/** Attempts when Shopify throttles an operation by its cost, or has an internal error: both have the status 200. */
const throttledAttempts = 20;
/** Shopify restores at least 50 points per second, and an operation costs about ten. */
const throttledMilliseconds = 5_000;

const createRun =
  ({ client, url, wait }: PullTask, token: string) =>
  async <Data extends z.ZodType>(
    data: Data,
    query: string,
    variables: Readonly<Record<string, unknown>>,
  ): Promise<z.output<Data>> => {
    const request = {
      url: new URL(`/admin/api/${shopifyVersion}/graphql.json`, url),
      headers: { 'X-Shopify-Access-Token': token },
      body: { query, variables },
      advice,
    };
    const schema = answerOf(data);
    for (let attempt = 1; ; attempt += 1) {
      const { value } = (await client.json(request, schema)) as JsonAnswer<
        { readonly data: z.output<Data> } | z.output<typeof failure>
      >;
      if ('data' in value) return value.data;
      const { errors } = value;
      const codes = errors.map((error) => error.extensions?.code);
      if (codes.includes('ACCESS_DENIED')) throw pullFailure(url.host, denied);
      if (!/THROTTLED|INTERNAL_SERVER_ERROR/.test(codes.join()) || attempt === throttledAttempts) {
        throw pullFailure(url.host, `returned an error: ${errors.map(({ message }) => message).join('; ')}`);
      }
      await wait(throttledMilliseconds);
    }
  };

const token =
  'set SHOPIFY_TOKEN, or SHOPIFY_CLIENT_ID and SHOPIFY_CLIENT_SECRET, to the credentials of an app installed in this shop';
const advice = {
  401: token,
  403: token,
  404: "expected the shop's myshopify.com URL, such as https://example.myshopify.com, as --url",
};

const startDocument = `mutation ($query: String!) {
  bulkOperationRunQuery(query: $query, groupObjects: true) {
    bulkOperation { id status }
    userErrors { message code }
  }
}`;

const pollDocument = `query ($id: ID!) {
  node(id: $id) {
    ... on BulkOperation { id status errorCode objectCount fileSize url }
  }
}`;
