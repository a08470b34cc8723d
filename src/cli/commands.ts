import type { CliCommand } from './command';
import { composeCommand, subgraphCheckCommand } from './commands/compose';
import { checkCommand, distributeCommand, migrateCommand } from './commands/database';
import { exportCommand } from './commands/export';
import { formatsCommand } from './commands/formats';
import { gatewayCommand } from './commands/gateway';
import { importCommand } from './commands/import';
import { keyCreateCommand, keyListCommand, keyRevokeCommand, keyRotateCommand, keyUsageCommand } from './commands/key';
import { pullShopifyCommand, pullWooCommerceCommand } from './commands/pull';
import { mcpCommand, serveCommand } from './commands/serve';
import { shopCreateCommand, shopListCommand, shopSetCommand } from './commands/shop';

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
  formatsCommand,
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

/** First words shared by several commands, with their descriptions. */
export const commandGroups: Readonly<Record<string, string>> = {
  pull: 'import a shop from its platform: woocommerce, shopify',
  shop: 'create and list shops, and change plans',
  subgraph: "work with other teams' subgraphs: check",
  key: 'API keys: create, list, revoke, rotate, usage',
};
