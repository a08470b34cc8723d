import type { FileHandle } from 'node:fs/promises';
import { z } from 'zod';
import { hideSecrets } from '../../common/terminal';
import { maximumProductCharacters } from '../formats/check-lengths';
import type { Format } from '../formats/format';
import { woocommerceOrdersJson } from '../formats/woocommerce-orders-json';
import { woocommerceProductsJson } from '../formats/woocommerce-products-json';
import type { Platform, PullTask } from './platform';
import type { JsonAnswer } from './platform-client';
import { pullFailure, RefusedByPlatform, tooLong } from './platform-client';

type WooType = 'products' | 'orders';

/** WooCommerce's maximum. */
const pageSize = 100;

type WooObject = z.output<typeof wooList>[number];

/** A list sorted by id. Other fields are checked by the formats. */
const wooList = z
  .array(
    z.looseObject({ id: z.int().positive() }, 'expected an object with an id'),
    'expected a list of objects; is this a WooCommerce shop?',
  )
  .max(pageSize, 'expected at most 100 objects as requested; a plugin of the shop may change the page size')
  .refine(
    (objects) => objects.every(({ id }, at) => id > (objects[at - 1]?.id ?? 0)),
    'expected objects sorted by id as requested; a plugin of the shop may change the sort order',
  );

/** How many products' variations are requested at once. More would slow the shop down for its customers. */
const concurrentRequests = 4;

/** Consecutive pages without a new object. Deletions during the pull cause some. */
const maxPagesWithoutProgress = 100;

const beginning = {
  /**
   * Offset of the next page. It repeats the last object of the page before, which shows whether the list has shifted.
   */
  offset: 0,
  /** The id of the last object. */
  last: 0,
  /** The number of bytes written to the file. */
  bytes: 0,
  isComplete: false,
};

type ListProgress = Readonly<Pick<typeof beginning, 'offset' | 'last'>>;

/** Collections come with the products. */
const formats = { products: woocommerceProductsJson, orders: woocommerceOrdersJson } as const;

/** Of personal data, only names are requested. */
const peopleFields: Readonly<Record<string, readonly string[]>> = {
  billing: ['billing.first_name', 'billing.last_name'],
  shipping: ['shipping.first_name', 'shipping.last_name'],
};

/** The fields that the format reads, so that nothing else leaves the shop, e-mail addresses in particular. */
function fieldsOf({ explains }: Format): string {
  const { expected, others } = explains as { readonly expected: object; readonly others: object };
  const names = [...Object.keys(expected), ...Object.keys(others)].filter((name) => name !== '_links');
  return names.flatMap((name) => peopleFields[name] ?? [name]).join(',');
}

const metaKeys = '_yoast_wpseo_title,_yoast_wpseo_metadesc,rank_math_title,rank_math_description';

/** Pulls from WooCommerce's REST API v3 (`/wp-json/wc/v3`) with a key that has read permission. */
export const createWooCommerce = ({ key, secret }: { readonly key: string; readonly secret: string }): Platform => ({
  formats,
  open(task) {
    hideSecrets(key, secret);
    const Authorization = `Basic ${Buffer.from(`${key}:${secret}`).toString('base64')}`;
    return Promise.resolve((type, file) => pullType(task, type as WooType, file, { Authorization }));
  },
});

async function pullType(
  { client, url, store, log }: PullTask,
  type: WooType,
  file: FileHandle,
  headers: Texts,
): Promise<void> {
  const get: Get = (path, parameters) => {
    const endpoint = new URL(`${url.pathname.replace(/\/$/, '')}/wp-json/wc/v3/${path}`, url);
    const sorted = { ...parameters, per_page: String(pageSize), orderby: 'id', order: 'asc' };
    endpoint.search = new URLSearchParams(sorted).toString();
    return client.json({ url: endpoint, headers, advice }, wooList);
  };
  const parameters = {
    _fields: fieldsOf(formats[type]),
    ...(type === 'products' && { include_meta: metaKeys }),
    // WordPress moves a time with a zone to the shop's zone, and then compares it with the GMT column. A time without
    // one stays as it is, except within the hour that the shop's clocks skip in spring: hence one hour earlier.
    ...(store.since !== undefined && {
      modified_after: new Date(Date.parse(store.since) - 3_600_000).toISOString().slice(0, -1),
      dates_are_gmt: 'true',
    }),
  };
  let progress = { ...beginning, ...(store.progress(type) as typeof beginning | undefined) };
  if ((await file.stat()).size < progress.bytes) progress = beginning;
  await file.truncate(progress.bytes);
  if (progress.isComplete) return;
  if (progress.bytes > 0) log(`Continuing with the ${type} after ID ${progress.last}.`);
  for await (const page of readList((more) => get(type, { ...parameters, ...more }), progress)) {
    const objects = type === 'products' ? await withVariations(page.objects, get) : page.objects;
    const text = Buffer.from(objects.map((object) => `${JSON.stringify(object)}\n`).join(''));
    if (progress.bytes + text.length > client.limits.fileBytes) throw tooLong(url, client.limits.fileBytes);
    await file.write(text, 0, text.length, progress.bytes);
    progress = { ...page.next, bytes: progress.bytes + text.length, isComplete: page.isLast };
    await store.note(type, progress);
    // The next page repeats the last object.
    if (objects.length > 0)
      log(`${type}: ${progress.offset + 1}${page.total === undefined ? '' : ` of ${page.total}`}`);
  }
}

type Texts = Readonly<Record<string, string>>;
type WooPage = JsonAnswer<readonly WooObject[]>;
type Get = (path: string, parameters: Texts) => Promise<WooPage>;

interface Page {
  /** Objects that were on no earlier page. */
  readonly objects: readonly WooObject[];
  readonly next: ListProgress;
  readonly isLast: boolean;
  readonly total: number | undefined;
}

/**
 * Reads a list in the order of ids. WooCommerce paginates by offset, so a deletion during the pull would shift objects
 * past the reader. Each page therefore repeats the last object of the one before; if it does not, the reader goes back.
 */
async function* readList(
  getPage: (parameters: Texts) => Promise<WooPage>,
  from: ListProgress,
): AsyncGenerator<Page, void, void> {
  let { offset, last } = from;
  let pagesWithoutProgress = 0;
  for (;;) {
    const { value: objects, headers } = await getPage({ offset: String(offset) });
    const hasMoved = offset > 0 && (objects[0]?.id ?? Infinity) > last;
    pagesWithoutProgress = !hasMoved && (objects.at(-1)?.id ?? 0) > last ? 0 : pagesWithoutProgress + 1;
    if (pagesWithoutProgress > maxPagesWithoutProgress) {
      throw pullFailure(
        'WooCommerce',
        `the list ended after ID ${last}, but the reported count is higher; a plugin in the shop may be hiding objects`,
      );
    }
    if (hasMoved) {
      offset = Math.max(0, offset - pageSize);
      continue;
    }
    const fresh = objects.filter(({ id }) => id > last);
    const header = String(headers['x-wp-total']);
    const total = /^\d{1,12}$/.test(header) ? Number(header) : undefined;
    const isLast = total === undefined ? fresh.length === 0 : offset + objects.length >= total;
    last = fresh.at(-1)?.id ?? last;
    offset += Math.max(0, objects.length - 1);
    yield { objects: fresh, next: { offset, last }, isLast, total };
    if (isLast) return;
  }
}

/** Replaces the ids of variations by the variations. */
async function withVariations(products: readonly WooObject[], get: Get): Promise<readonly object[]> {
  const complete: object[] = [];
  for (let start = 0; start < products.length; start += concurrentRequests) {
    const some = products.slice(start, start + concurrentRequests);
    complete.push(...(await Promise.all(some.map((product) => withItsVariations(product, get)))));
  }
  return complete;
}

async function withItsVariations(product: WooObject, get: Get): Promise<object> {
  const { variations, type } = product;
  if (!Array.isArray(variations) || variations.length === 0 || !String(type).startsWith('variable')) return product;
  const all: object[] = [];
  let characters = 0;
  try {
    // Members that only products have are left out by the shop.
    const _fields = fieldsOf(woocommerceProductsJson);
    const list = readList((more) => get(`products/${product.id}/variations`, { _fields, ...more }), beginning);
    for await (const { objects } of list) {
      characters += JSON.stringify(objects).length;
      if (characters > maximumProductCharacters) throw pullFailure('WooCommerce', `product ${product.id} is too large`);
      all.push(...objects);
    }
  } catch (error) {
    // The product was deleted meanwhile. Without variations, the stored variants are kept until the next pull.
    if (error instanceof RefusedByPlatform && error.status === 404) return product;
    throw error;
  }
  return { ...product, variations: all };
}

const key =
  'expected a key with read permission in WOOCOMMERCE_KEY and WOOCOMMERCE_SECRET (WooCommerce, Settings, Advanced, REST API)';
const advice = {
  401: key,
  403: key,
  404: "expected WooCommerce's REST API: check that --url is the URL of WordPress, and that its permalinks are not set to plain",
};
