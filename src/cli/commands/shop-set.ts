import { Argument, Option } from 'commander';
import { UsageError } from '../usage-error';
import type { CliCommand } from '../command';
import { addJsonOption } from '../json-option';
import { parseDomain, parsePlanStatus, parseProductLimit, toProductLimit } from '../option-values';
import { shopText } from '../shop-text';
import type { Plan } from '../../catalog/shop/plans';
import { plans } from '../../catalog/shop/plans';

interface Options {
  readonly plan?: Plan;
  readonly planStatus?: string;
  readonly productLimit?: number | 'none';
}

export const shopSetCommand: CliCommand = {
  name: 'shop set',
  login: 'catalog_writer or catalog_admin',
  summary: "change a shop's plan, its status or product limit",
  details: `The next response of a running server shows the change. Nothing is deleted by a lower limit: the oldest products
stay visible, the others reappear when the limit is raised.`,
  examples: [
    'catalog shop set shop.example --plan business',
    'catalog shop set shop.example --product-limit 500',
    'catalog shop set shop.example --product-limit none --json',
  ],
  define(command, perform) {
    command
      .addArgument(new Argument('<domain>', "the shop's domain").argParser(parseDomain))
      .addOption(new Option('--plan <plan>', 'subscription').choices(plans))
      .option('--plan-status <status>', 'plan_status in responses; it decides nothing', parsePlanStatus)
      .option(
        '--product-limit <count>',
        'products that the plan shows, oldest first, or none for all',
        parseProductLimit,
      );
    addJsonOption(command, 'the shop').action((domain: string, options: Options) => {
      if (Object.values({ ...options, json: undefined }).every((value) => value === undefined)) {
        throw new UsageError('nothing to change: expected --plan, --plan-status, --product-limit or several of them');
      }
      return perform(async ({ database }) => {
        const { setShop } = await import('../../catalog/shop/shop-store.js');
        const shop = await setShop(await database(), domain, {
          plan: options.plan,
          planStatus: options.planStatus,
          productLimit: options.productLimit === undefined ? undefined : toProductLimit(options.productLimit),
        });
        return { json: shop, text: shopText([shop]) };
      });
    });
  },
};
