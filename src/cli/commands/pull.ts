import { setTimeout as wait } from 'node:timers/promises';
import { InvalidArgumentError, type Command } from 'commander';
import { stderr, stdout } from '../../common/terminal';
import type { Config } from '../../config/config';
import type { Platform, PulledType } from '../../ingest/pull/platform';
import type { Since } from '../../ingest/pull/pull-shop';
import { parseAllowance, type Allowance } from '../../ingest/allowance';
import type { CliCommand, CliContext, CliResult } from '../command';
import { addJsonOption } from '../json-option';
import { parseDomain, parseDuration, parsedOption, parseHttpUrl, parseLifetime, parseName } from '../option-values';
import { untilStopped } from '../until-stopped';
import { UsageError } from '../usage-error';

interface Options {
  readonly shop?: string;
  readonly url?: URL;
  readonly types?: readonly PulledType[];
  readonly since?: Since;
  readonly every?: number;
  readonly replace?: boolean;
  readonly allowRemoving?: Allowance;
  readonly directory?: string;
  readonly allowPrivate?: boolean;
  readonly followRedirects?: boolean;
  readonly dryRun?: boolean;
  readonly json?: boolean;
}

interface PullSource {
  readonly name: string;
  readonly title: string;
  /** What can be asked for. */
  readonly types: readonly PulledType[];
  readonly credentials: string;
  readonly details: string;
  readonly examples: readonly string[];
  /** @throws UsageError where the settings have no credential */
  readonly open: (config: Config) => Promise<Platform>;
}

const shared = `Everything is read first, and then imported in one transaction: readers see all of it or nothing, and what did not
change is not written. Of persons, only names are asked for. Requests are repeated after faults that pass, no sooner
than the platform asks; redirects and private addresses are refused unless allowed.`;

function createPull({ name, title, types, credentials, details, examples, open }: PullSource): CliCommand {
  return {
    name: `pull ${name}`,
    login: 'catalog_writer or catalog_admin',
    summary: `read a shop from ${title} into the catalog`,
    details: `${details}\n${credentials}\n\n${shared}`,
    examples,
    define(command, perform) {
      addOptions(command, types).action((options: Options) => {
        const where = addressesOf(options);
        if (options.since !== undefined && options.replace === true) {
          throw new UsageError('--since and --replace exclude each other: what did not change is not in the answers');
        }
        return perform(async (context) => {
          const platform = await open(context.config);
          const pull = () => pullOnce(context, { ...options, ...where, types: options.types ?? types }, platform, name);
          if (options.every === undefined) return pull();
          return repeat(pull, options.every, context, options.json === true);
        });
      });
    },
  };
}

function addOptions(command: Command, types: readonly PulledType[]): Command {
  command
    .option('--url <url>', 'of the shop at its platform; https://SHOP by default', parseHttpUrl)
    .option('--shop <domain>', "the shop's domain in the catalog; the host of --url by default", parseDomain)
    .option('--types <types>', `separated by commas, of ${types.join(', ')}; all by default`, (text: string) =>
      parseTypes(text, types),
    )
    .option('--since <time>', 'only what changed since then: a time, or 24h before the beginning', parseSince)
    .option('--every <duration>', 'again and again, at this interval give or take a tenth, such as 15m', parseLifetime)
    .option('--replace', 'delete what the platform no longer has: products softly, the others permanently')
    .option(
      '--allow-removing <n>',
      'how much of each kind --replace may delete: a number, or a percentage such as 35%',
      parsedOption(parseAllowance),
    )
    .option('--directory <path>', 'keep answers there until they are imported: a repetition continues', parseName)
    .option('--allow-private', 'allow addresses of this machine and of private networks, and http')
    .option('--follow-redirects', 'follow redirects; to another host without the credential')
    .option('--dry-run', 'read, check and report everything, write nothing');
  return addJsonOption(command, 'the report');
}

/** A shop without an address is at its own domain, and the reverse. */
function addressesOf({ shop, url }: Options): { readonly shop: string; readonly url: URL } {
  const address = url ?? (shop === undefined ? undefined : new URL(`https://${shop}`));
  if (address === undefined) throw new UsageError("required option '--url <url>' or '--shop <domain>' not specified");
  if (address.username !== '' || address.password !== '' || address.search !== '' || address.hash !== '') {
    throw new UsageError('--url: expected an address without a name, a password, a query and a fragment');
  }
  return { shop: shop ?? parseDomain(address.host), url: address };
}

async function pullOnce(
  { database, clock, log, lockTimeoutMilliseconds }: CliContext,
  options: Options & ReturnType<typeof addressesOf> & { readonly types: readonly PulledType[] },
  platform: Platform,
  platformName: string,
): Promise<CliResult> {
  const [{ findShopId }, { pullShop }, { importResult }] = await Promise.all([
    import('../../catalog/shop/shop-store.js'),
    import('../../ingest/pull/pull-shop.js'),
    import('../import-result.js'),
  ]);
  return untilStopped({ log, database }, async ({ openDatabase, onCommit }) => {
    const opened = await openDatabase();
    // Before hours of reading for a shop that is not there.
    await findShopId(opened.prisma, options.shop);
    const report = await pullShop(opened, {
      platform,
      platformName,
      url: options.url,
      shopDomain: options.shop,
      types: options.types,
      since: options.since,
      replace: options.replace ?? false,
      allowRemoving: options.allowRemoving,
      dryRun: options.dryRun ?? false,
      directory: options.directory,
      allowPrivate: options.allowPrivate ?? false,
      followRedirects: options.followRedirects ?? false,
      clock,
      wait,
      log,
      lockTimeoutMilliseconds,
      onCommit,
    });
    return importResult(report);
  });
}

/** What the user has to change; everything else may be over at the next turn. */
const mistakes: ReadonlySet<string> = new Set(['BAD_USAGE', 'BAD_SETTINGS', 'NOT_FOUND', 'FORBIDDEN']);

/** Pulls until a signal ends the process. What fails is reported, and repeated at the next turn. */
async function repeat(
  pull: () => Promise<CliResult>,
  interval: number,
  { config }: CliContext,
  json: boolean,
): Promise<never> {
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
    // Processes that were started together do not ask together.
    await wait(interval * (0.9 + Math.random() / 5));
  }
}

function parseTypes(text: string, types: readonly PulledType[]): readonly PulledType[] {
  const named = [...new Set(text.split(',').map((word) => word.trim()))];
  if (!named.every((word): word is PulledType => types.includes(word as PulledType))) {
    throw new InvalidArgumentError(`Expected some of ${types.join(', ')}, separated by commas.`);
  }
  return types.filter((type) => named.includes(type));
}

/** A time such as 2026-01-31T12:00:00Z, or a duration before the beginning of the pull. */
function parseSince(text: string): Since {
  if (/^\d+[smhd]$/.test(text)) {
    const milliseconds = parseDuration(text);
    return { text, at: (beginning) => new Date(beginning.getTime() - milliseconds).toISOString() };
  }
  const isTime = /^\d{4}-\d\d-\d\d(T\d\d:\d\d(:\d\d(\.\d{1,3})?)?(Z|[+-]\d\d:\d\d))?$/.test(text);
  const time = isTime ? Date.parse(text) : NaN;
  if (Number.isNaN(time)) {
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
  credentials: `The credential is a key of the REST API that may read, in ${wooCredentials}.`,
  details: `The REST API, version 3: products with their variations, their categories as collections, and orders.
With --since, categories stay as they are, and stock that orders took is not seen: WooCommerce notes neither as a
change. Pull everything from time to time.`,
  examples: [
    'catalog pull woocommerce --url https://shop.example',
    'catalog pull woocommerce --url https://shop.example --replace --directory pull',
    'catalog pull woocommerce --url https://shop.example --every 15m --since 1h',
  ],
  async open({ woocommerceKey: key, woocommerceSecret: secret }) {
    if (key === undefined || secret === undefined) {
      throw new UsageError(`${wooCredentials}: expected a key of WooCommerce's REST API`);
    }
    const { createWooCommerce } = await import('../../ingest/pull/woocommerce.js');
    return createWooCommerce({ key, secret });
  },
});

export const pullShopifyCommand = createPull({
  name: 'shopify',
  title: 'Shopify',
  types: ['products', 'collections', 'orders'],
  credentials: `The credential is a token of an app of the shop, in ${shopifyCredentials}; or in files that settings
with _FILE at their end name. Scopes: read_products, read_inventory and read_orders.`,
  details: `Bulk operations of the Admin GraphQL API: products with variants, prices, costs and stock, collections, orders.`,
  examples: [
    'catalog pull shopify --shop example.myshopify.com',
    'catalog pull shopify --url https://example.myshopify.com --shop shop.example',
    'catalog pull shopify --shop example.myshopify.com --every 15m --since 1h',
  ],
  async open({ shopifyToken: token, shopifyClientId: clientId, shopifyClientSecret: clientSecret }) {
    const { createShopify } = await import('../../ingest/pull/shopify.js');
    if (token !== undefined) return createShopify({ token });
    if (clientId !== undefined && clientSecret !== undefined) return createShopify({ clientId, clientSecret });
    throw new UsageError(`${shopifyCredentials}: expected the token of an app, or what it is asked for with`);
  },
});
