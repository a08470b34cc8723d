import type { CliCommand } from '../command';
import { addJsonOption } from '../json-option';
import { shopText } from '../shop-text';

export const shopListCommand: CliCommand = {
  name: 'shop list',
  login: 'one of the roles',
  summary: 'list the connected shops',
  details: 'PRODUCTS counts what the API shows: the smaller of the limit and the products that are not deleted.',
  examples: ['catalog shop list', "catalog shop list --json | jq -r '.[].domain'"],
  define(command, perform) {
    addJsonOption(command, 'an array of shops').action(() =>
      perform(async ({ database }) => {
        const { listShops } = await import('../../catalog/shop/shop-store.js');
        const shops = await listShops(await database());
        return { json: shops, text: shopText(shops) };
      }),
    );
  },
};
