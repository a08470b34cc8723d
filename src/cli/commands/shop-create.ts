import { Option } from 'commander';
import type { CliCommand } from '../command';
import { addJsonOption } from '../json-option';
import {
  parseCurrency,
  parseDomain,
  parseName,
  parsePlanStatus,
  parsePlatform,
  parseProductLimit,
  toProductLimit,
} from '../option-values';
import { shopText } from '../shop-text';
import type { Plan } from '../../catalog/shop/plans';
import { plans } from '../../catalog/shop/plans';

interface Options {
  readonly domain: string;
  readonly name?: string;
  readonly platform?: string;
  readonly currency?: string;
  readonly plan: Plan;
  readonly planStatus: string;
  readonly productLimit: number | 'none';
}

export const shopCreateCommand: CliCommand = {
  name: 'shop create',
  login: 'catalog_writer or catalog_admin',
  summary: 'connect a shop',
  details: `The domain is the name by which every other command finds the shop; no two shops share one.
Only shops on the plan business may use the API; the others get 403 PLAN_LIMIT_EXCEEDED on every call.`,
  examples: [
    'catalog shop create --domain shop.example --name "My Shop" --currency EUR',
    'catalog shop create --domain small.example --plan free --product-limit 25',
    'catalog shop create --domain shop.example --json | jq -r .id',
  ],
  define(command, perform) {
    command
      .requiredOption('--domain <domain>', "the shop's domain on its platform", parseDomain)
      .option('--name <name>', 'display name', parseName)
      .option('--platform <platform>', 'shopify, woocommerce, …', parsePlatform)
      .option('--currency <code>', 'ISO 4217 code, such as EUR', parseCurrency)
      .addOption(new Option('--plan <plan>', 'subscription').choices(plans).default('business'))
      .addOption(
        new Option('--plan-status <status>', 'plan_status in responses; it decides nothing')
          .argParser(parsePlanStatus)
          .default('active'),
      )
      .addOption(
        new Option('--product-limit <count>', 'products that the plan shows, oldest first, or none for all')
          .argParser(parseProductLimit)
          .default('none'),
      );
    addJsonOption(command, 'the shop').action((options: Options) =>
      perform(async ({ databaseOrNew }) => {
        const { createShop } = await import('../../catalog/shop/shop-store.js');
        const shop = await createShop(await databaseOrNew(), {
          domain: options.domain,
          name: options.name ?? null,
          platform: options.platform ?? null,
          currency: options.currency ?? null,
          plan: options.plan,
          planStatus: options.planStatus,
          productLimit: toProductLimit(options.productLimit),
        });
        return { json: shop, text: shopText([shop]) };
      }),
    );
  },
};
