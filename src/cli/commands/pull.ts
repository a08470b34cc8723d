import { setTimeout as wait } from 'node:timers/promises';
import { InvalidArgumentError } from 'commander';
import { stderr, stdout } from '../../common/terminal';
import type { Config } from '../../config/config';
import type { Platform, PulledType } from '../../ingest/pull/platform';
import {
  command,
  flag,
  given,
  usual,
  UsageError,
  type CliCommand,
  type CliContext,
  type CliResult,
  type ValuesOf,
} from '../command';
import {
  allowRemoving,
  parseDomain,
  parseDuration,
  parseHttpUrl,
  parseInterval,
  parseListOf,
  parseName,
} from '../option-values';

interface PullSource {
  readonly name: string;
  readonly title: string;
  /** Object types that can be requested. */
  readonly types: readonly PulledType[];
  readonly credentials: string;
  readonly details: string;
  readonly examples: readonly string[];
  /** @throws UsageError where the settings have no credential */
  readonly open: (config: Config) => Promise<Platform>;
}

const shared = `Reads everything first, then imports it in one transaction: readers see all changes or none, and unchanged objects are not
written. Customer names are the only personal data it requests. Retries temporary failures, and respects the platform's
rate limits. Redirects and private IP addresses are rejected unless allowed.`;

function createPull({ name, title, types, credentials, details, examples, open }: PullSource): CliCommand {
  return command({
    name: `pull ${name}`,
    login: 'catalog_writer or catalog_admin',
    summary: `import a shop from ${title}`,
    details: `${details}\n${credentials}\n\n${shared}`,
    examples,
    options: {
      ...options,
      types: usual('<types>', `comma-separated list of ${types.join(', ')}`, parseListOf(types), types, 'all'),
    },
    json: 'the report',
    alone(given) {
      shopAndUrlOf(given);
      if (given.allowRemoving !== undefined && !given.replace) {
        throw new UsageError('--allow-removing requires --replace');
      }
      if (given.since === undefined || !given.replace) return undefined;
      throw new UsageError(
        '--since and --replace are mutually exclusive: with --since, unchanged objects are not returned and would be deleted',
      );
    },
    async run(context, { types: wanted, ...given }) {
      const platform = await open(context.config);
      const pull = () => pullOnce(context, given, { platform, platformName: name, types: wanted });
      return given.every === undefined ? pull() : repeat(pull, given.every, context);
    },
  });
}

const options = {
  url: given('<url>', 'URL of the shop on its platform (default: https://SHOP)', parseHttpUrl),
  shop: given('<domain>', "the shop's domain in the catalog (default: the host of --url)", parseDomain),
  since: given(
    '<time>',
    'only changes since this time, or since this long before the last pull or import, such as 24h',
    parseSince,
  ),
  every: given('<duration>', 'repeat at this interval (±10%), such as 15m; at most 21d', parseInterval),
  replace: flag(
    'delete objects that the platform no longer has: products are soft-deleted, others are deleted permanently',
  ),
  allowRemoving,
  directory: given(
    '<path>',
    'store responses here until the import ends, so that a rerun of an interrupted pull continues',
    parseName,
  ),
  allowPrivate: flag('allow http URLs and loopback or private IP addresses'),
  followRedirects: flag('follow redirects, but never with a credential to another origin'),
  dryRun: flag('validate and report without writing anything'),
};
type Options = ValuesOf<typeof options>;

/** --url defaults to the shop's domain, and --shop to the host of the URL. */
function shopAndUrlOf({ shop, url }: Pick<Options, 'shop' | 'url'>): { readonly shop: string; readonly url: URL } {
  const address = url ?? (shop === undefined ? undefined : new URL(`https://${shop}`));
  if (address === undefined) throw new UsageError("required option '--url <url>' or '--shop <domain>' not specified");
  return { shop: shop ?? domainOf(address), url: address };
}

function domainOf({ host }: URL): string {
  try {
    return parseDomain(host);
  } catch {
    throw new UsageError(
      `--shop: expected the shop's domain in the catalog, because the host of --url (${host}) is not a domain`,
    );
  }
}

async function pullOnce(
  { database, clock, log, lockTimeoutMilliseconds, untilStopped }: CliContext,
  given: Options,
  source: { readonly platform: Platform; readonly platformName: string; readonly types: readonly PulledType[] },
): Promise<CliResult> {
  const [{ findShopId }, { pullShop }, { importResult }] = await Promise.all([
    import('../../catalog/shop/shop-store.js'),
    import('../../ingest/pull/pull-shop.js'),
    import('../import-result.js'),
  ]);
  const { shop, url } = shopAndUrlOf(given);
  return untilStopped(async (onCommit) => {
    const opened = await database();
    // Fail now, not after hours of reading, if the shop does not exist.
    const shopId = await findShopId(opened.prisma, shop);
    // After an outage, of the platform or of this process, a pull begins where the last one did.
    const row =
      given.since && (await opened.prisma.shop.findUnique({ where: { shopId }, select: { lastSyncAt: true } }));
    const beginning = Math.min(clock(), row?.lastSyncAt?.getTime() ?? Infinity);
    const since = given.since && { ...given.since, at: given.since.at(beginning) };
    const waits = { clock, wait, log, lockTimeoutMilliseconds, onCommit };
    return importResult(await pullShop(opened, { ...given, ...source, ...waits, since, url, shopDomain: shop }));
  });
}

/** Errors that the user must fix; any other may not recur at the next run. */
const mistakes: ReadonlySet<string> = new Set(['BAD_USAGE', 'BAD_SETTINGS', 'NOT_FOUND', 'FORBIDDEN']);

/** Pulls repeatedly until a signal ends the process. Failures are reported, and retried at the next run. */
async function repeat(pull: () => Promise<CliResult>, interval: number, { config, json }: CliContext): Promise<never> {
  const { toFailure } = await import('../to-failure.js');
  for (let isFirst = true; ; isFirst = false) {
    try {
      const { json: document, text } = await pull();
      stdout.write(json ? `${JSON.stringify(document)}\n` : `${text}\n`);
    } catch (error) {
      const { code, message, details, text } = toFailure(error, { databaseUrl: config.databaseUrl });
      if (isFirst && mistakes.has(code)) throw error;
      stderr.write(json ? `${JSON.stringify({ error: { code, message, ...details } })}\n` : `${text}\n`);
    }
    // Jitter: processes that were started together do not pull at the same time.
    await wait(interval * (0.9 + Math.random() / 5));
  }
}

/** A time such as 2026-01-31T12:00:00Z, or a duration before the given beginning. */
function parseSince(text: string): { readonly text: string; readonly at: (beginning: number) => string } {
  if (/^\d+[smhd]$/.test(text)) {
    const milliseconds = parseDuration(text);
    return { text, at: (beginning) => new Date(beginning - milliseconds).toISOString() };
  }
  const [, day] = /^(\d{4}-\d\d-\d\d)(T\d\d:\d\d(:\d\d(\.\d{1,3})?)?(Z|[+-]\d\d:\d\d))?$/.exec(text) ?? [];
  const time = Date.parse(text);
  // Date.parse turns February 30th into March 2nd.
  if (day === undefined || Number.isNaN(time) || !new Date(Date.parse(day)).toISOString().startsWith(day)) {
    throw new InvalidArgumentError('Expected a time such as 2026-01-31T12:00:00Z, or a duration such as 24h.');
  }
  return { text, at: () => new Date(time).toISOString() };
}

const wooCredentials = 'WOOCOMMERCE_KEY and WOOCOMMERCE_SECRET, or WOOCOMMERCE_KEY_FILE and WOOCOMMERCE_SECRET_FILE';
const shopifyCredentials = 'SHOPIFY_TOKEN, or SHOPIFY_CLIENT_ID and SHOPIFY_CLIENT_SECRET';

export const pullWooCommerceCommand = createPull({
  name: 'woocommerce',
  title: 'WooCommerce',
  types: ['products', 'orders'],
  credentials: `The credential is a REST API key with read permission, in ${wooCredentials}.`,
  details: `Uses REST API version 3: products with their variations, categories as collections, and orders.
With --since, new categories and stock changes from orders are missed, because WooCommerce does not report them as
changes. Also run a full pull regularly.`,
  examples: [
    'catalog pull woocommerce --url https://shop.example',
    'catalog pull woocommerce --url https://shop.example --replace --directory pull',
    'catalog pull woocommerce --url https://shop.example --every 15m --since 1h',
  ],
  async open({ woocommerceKey: key, woocommerceSecret: secret }) {
    if (key === undefined || secret === undefined) {
      throw new UsageError(`${wooCredentials}: expected a WooCommerce REST API key`);
    }
    const { createWooCommerce } = await import('../../ingest/pull/woocommerce.js');
    return createWooCommerce({ key, secret });
  },
});

export const pullShopifyCommand = createPull({
  name: 'shopify',
  title: 'Shopify',
  types: ['products', 'collections', 'orders'],
  credentials: `Set SHOPIFY_TOKEN to the access token of an app in the shop, or SHOPIFY_CLIENT_ID and SHOPIFY_CLIENT_SECRET to its
client ID and secret. Each can be in a file named by the setting with the suffix _FILE. Scopes: read_products, read_inventory
and read_orders; read_all_orders for orders older than 60 days.`,
  details: `Uses bulk operations of the Admin GraphQL API: products with variants, prices, costs and stock; collections with
the order of their products; orders. With --since, moves within collections that Shopify sorts or fills by rules are
missed. Also run a full pull regularly.`,
  examples: [
    'catalog pull shopify --shop example.myshopify.com',
    'catalog pull shopify --url https://example.myshopify.com --shop shop.example',
    'catalog pull shopify --shop example.myshopify.com --every 15m --since 1h',
  ],
  async open({ shopifyToken: token, shopifyClientId: clientId, shopifyClientSecret: clientSecret }) {
    const { createShopify } = await import('../../ingest/pull/shopify.js');
    if (token !== undefined) return createShopify({ token });
    if (clientId !== undefined && clientSecret !== undefined) return createShopify({ clientId, clientSecret });
    throw new UsageError(`${shopifyCredentials}: expected an app's access token, or its client ID and secret`);
  },
});
