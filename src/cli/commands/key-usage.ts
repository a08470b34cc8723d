import type { KeyUsageSummary } from '../../auth/api-keys';
import { usageDays } from '../../database/sql-constants';
import type { CliCommand } from '../command';
import { addJsonOption } from '../json-option';
import { parseDays, parseDomain } from '../option-values';
import { textTable } from '../text-table';

interface Options {
  readonly shop: string;
  readonly days: number;
}

export const keyUsageCommand: CliCommand = {
  name: 'key usage',
  login: 'catalog_admin',
  summary: "what a shop's API keys did, by day",
  details: `Requests, refusals by the rate limit, other errors, bytes sent and the cost of GraphQL operations, by day of UTC, the
latest first. Each process writes them once a minute, and they are kept for ${usageDays} days.`,
  examples: ['catalog key usage --shop shop.example', 'catalog key usage --shop shop.example --days 7 --json'],
  define(command, perform) {
    command
      .requiredOption('--shop <domain>', "the shop's domain", parseDomain)
      .option('--days <n>', `up to today, at most ${usageDays}`, parseDays, 30);
    addJsonOption(command, 'an array of days and keys').action(({ shop, days }: Options) =>
      perform(async ({ clock, database }) => {
        const { listKeyUsage } = await import('../../auth/api-keys.js');
        const usage = await listKeyUsage(await database(), shop, days, clock);
        return { json: usage, text: toText(usage) };
      }),
    );
  },
};

function toText(usage: readonly KeyUsageSummary[]): string {
  if (usage.length === 0) return 'No key was used on these days.';
  return textTable(
    ['DAY', 'CLIENT_ID', 'REQUESTS', 'RATE LIMITED', 'ERRORS', 'BYTES', 'COST'],
    usage.map((row) => [
      row.day,
      row.client_id,
      ...[row.requests, row.rate_limited, row.errors, row.bytes, row.cost].map(String),
    ]),
  );
}
