import { AdministrationError } from '../../errors/administration-error';
import type { CliCommand } from '../command';
import { addJsonOption } from '../json-option';

export const distributeCommand: CliCommand = {
  name: 'distribute',
  login: 'the owner of the tables',
  summary: 'spread the shops over the nodes of Citus',
  details: `Divides the tables of DATABASE_URL, the coordinator of a Citus cluster, by shop, and gives each group of shards its copies of functions
and triggers. Run it again after an interruption and after shards moved: what is right is left alone. Until then, writes to shops that moved
are refused. Each node must be reachable under the name by which Citus knows it, with the login of DATABASE_URL.`,
  examples: ['catalog distribute', 'catalog distribute --refresh', 'catalog distribute --json'],
  define(command, perform) {
    command.option('--refresh', 'only make the copies of functions that are missing or differ, as after shards moved');
    addJsonOption(command, '{"nodes", "groups", "tables": […], "copied": […]}, what was divided and copied now').action(
      (options: { readonly refresh?: true }) =>
        perform(async ({ config, database, log }) => {
          if (config.databaseUrl === undefined) {
            throw new AdministrationError(
              'NOT_DISTRIBUTABLE',
              'Expected DATABASE_URL, the coordinator of a Citus cluster; the embedded database is one server.',
            );
          }
          const { distribute } = await import('../../database/sharding/distribute.js');
          await database(); // migrated
          const report = await distribute(config.databaseUrl, { log, refresh: options.refresh === true });
          const { nodes, groups, tables, copied } = report;
          const state = `${groups} groups of shards on ${nodes} nodes`;
          return {
            json: report,
            text:
              tables.length + copied.length === 0
                ? `Nothing to do: ${state}.`
                : `Divided ${tables.length} tables, and made the functions and triggers of ${copied.length} of ${state}.`,
          };
        }),
    );
  },
};
