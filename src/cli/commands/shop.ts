import { plans } from '../../catalog/model';
import type { ShopSummary } from '../../catalog/shop/shop-store';
import type { Database } from '../../database/database';
import { argument, choice, command, given, needed, usual, UsageError, type CliResult } from '../command';
import {
  parseCurrency,
  parseDomain,
  parseName,
  parsePlanStatus,
  parsePlatform,
  parseProductLimit,
  toProductLimit,
} from '../option-values';
import { textTable } from '../text-table';

const login = 'catalog_writer or catalog_admin';
const planStatus = ['<status>', 'plan_status in responses (informational only)', parsePlanStatus] as const;
const productLimit = ['<count>', 'maximum number of visible products, oldest first; none for unlimited', parseProductLimit] as const; // prettier-ignore

export const shopCreateCommand = command({
  name: 'shop create',
  login,
  summary: 'create a shop',
  details: `Other commands identify the shop by its domain, which must be unique.
Only shops on the business plan can use the API; all others get 403 PLAN_LIMIT_EXCEEDED on every call.`,
  examples: [
    'catalog shop create --domain shop.example --name "My Shop" --currency EUR',
    'catalog shop create --domain small.example --plan free --product-limit 25',
    'catalog shop create --domain shop.example --json | jq -r .id',
  ],
  options: {
    domain: needed('<domain>', "the shop's domain on its platform", parseDomain),
    name: given('<name>', 'display name', parseName),
    platform: given('<platform>', 'shopify, woocommerce, …', parsePlatform),
    currency: given('<code>', 'ISO 4217 code, such as EUR', parseCurrency),
    plan: choice('<plan>', 'subscription plan', plans, 'business'),
    planStatus: usual(...planStatus, 'active'),
    productLimit: usual(...productLimit, 'none'),
  },
  json: 'the shop',
  async run({ databaseOrNew }, { name = null, platform = null, currency = null, productLimit: limit, ...others }) {
    const { createShop } = await import('../../catalog/shop/shop-store.js');
    const database = await databaseOrNew();
    await createShop(database, { ...others, name, platform, currency, productLimit: toProductLimit(limit) });
    return shopResult(database, others.domain);
  },
});

export const shopSetCommand = command({
  name: 'shop set',
  login,
  summary: "change a shop's plan, plan status or product limit",
  details: `The change takes effect with the next response of a running server. A lower limit deletes nothing: the oldest products stay
visible, and the others reappear when the limit is raised.`,
  examples: [
    'catalog shop set shop.example --plan business',
    'catalog shop set shop.example --product-limit 500',
    'catalog shop set shop.example --product-limit none --json',
  ],
  argument: argument('<domain>', "the shop's domain", parseDomain),
  options: {
    plan: choice('<plan>', 'subscription plan', plans, undefined),
    planStatus: given(...planStatus),
    productLimit: given(...productLimit),
  },
  json: 'the shop',
  alone(options) {
    if (Object.values(options).some((value) => value !== undefined)) return undefined;
    throw new UsageError('nothing to change: expected --plan, --plan-status or --product-limit');
  },
  async run({ database }, { productLimit: limit, ...others }, domain) {
    const { setShop } = await import('../../catalog/shop/shop-store.js');
    const changes = { ...others, productLimit: limit === undefined ? undefined : toProductLimit(limit) };
    const opened = await database();
    await setShop(opened, domain, changes);
    return shopResult(opened, domain);
  },
});

export const shopListCommand = command({
  name: 'shop list',
  login: 'one of the roles',
  summary: 'list the connected shops',
  details: 'PRODUCTS is the number visible through the API: products that are not deleted, up to the limit.',
  examples: ['catalog shop list', "catalog shop list --json | jq -r '.[].domain'"],
  options: {},
  json: 'an array of shops',
  async run({ database }) {
    const { listShops } = await import('../../catalog/shop/shop-store.js');
    const shops = await listShops(await database());
    return { json: shops, text: shopText(shops) };
  },
});

async function shopResult(database: Database, domain: string): Promise<CliResult> {
  const { listShops } = await import('../../catalog/shop/shop-store.js');
  const shops = await listShops(database, domain);
  return { json: shops[0], text: shopText(shops) };
}

/** Shops as a table for people. */
function shopText(shops: readonly ShopSummary[]): string {
  if (shops.length === 0) return 'No shops yet. Create one with `catalog shop create --domain shop.example`.';
  return textTable(
    ['DOMAIN', 'NAME', 'PLATFORM', 'CURRENCY', 'PLAN', 'LIMIT', 'PRODUCTS', 'ID'],
    shops.map((shop) => [
      shop.domain,
      shop.name ?? '–',
      shop.platform ?? '–',
      shop.currency ?? '–',
      shop.plan,
      shop.product_limit === null ? 'none' : String(shop.product_limit),
      String(shop.product_count),
      shop.id,
    ]),
  );
}
