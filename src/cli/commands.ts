import type { CliCommand } from './command';
import { checkCommand } from './commands/check';
import { composeCommand } from './commands/compose';
import { distributeCommand } from './commands/distribute';
import { exportCommand } from './commands/export';
import { gatewayCommand } from './commands/gateway';
import { importCommand } from './commands/import';
import { keyCreateCommand } from './commands/key-create';
import { keyListCommand } from './commands/key-list';
import { keyRevokeCommand } from './commands/key-revoke';
import { keyRotateCommand } from './commands/key-rotate';
import { mcpCommand } from './commands/mcp';
import { keyUsageCommand } from './commands/key-usage';
import { migrateCommand } from './commands/migrate';
import { pullShopifyCommand, pullWooCommerceCommand } from './commands/pull';
import { serveCommand } from './commands/serve';
import { shopCreateCommand } from './commands/shop-create';
import { shopListCommand } from './commands/shop-list';
import { shopSetCommand } from './commands/shop-set';
import { subgraphCheckCommand } from './commands/subgraph-check';

/** The command line, in the order of its help. */
export const commands: readonly CliCommand[] = [
  serveCommand,
  mcpCommand,
  gatewayCommand,
  composeCommand,
  subgraphCheckCommand,
  migrateCommand,
  distributeCommand,
  shopCreateCommand,
  shopSetCommand,
  shopListCommand,
  importCommand,
  pullWooCommerceCommand,
  pullShopifyCommand,
  exportCommand,
  checkCommand,
  keyCreateCommand,
  keyListCommand,
  keyRevokeCommand,
  keyRotateCommand,
  keyUsageCommand,
];

/** The first words that several commands share. */
export const commandGroups: Readonly<Record<string, string>> = {
  pull: 'read a shop from its platform: woocommerce, shopify',
  shop: 'connect shops, and change their plan',
  subgraph: "other teams' subgraphs: check",
  key: 'API keys: create, list, revoke, rotate, usage',
};
