import type { CheckReport, DifferencesOfKind } from '../../database/derived/check-derived';
import type { CliCommand } from '../command';
import { addJsonOption } from '../json-option';
import { parseDomain } from '../option-values';

interface Options {
  readonly shop?: string;
  readonly repair?: boolean;
}

export const checkCommand: CliCommand = {
  name: 'check',
  login: 'the owner of the tables',
  summary: 'compare derived data with the rows that it is derived from',
  details: `For the day after triggers were disabled. Compares derived columns, visible products, tags and the change feed of each shop with a
fresh computation, and lists what differs: how many of each kind, and the first 20. Reads only, from a snapshot per shop; a shop with a
million products takes minutes.

--repair corrects what differs, in one transaction per shop during which writers of that shop wait, and restarts the change feed of that shop:
mirrors get RESYNC_REQUIRED, because what else was changed while triggers were off is unknown. It is the one command that is needed then.

Needs the login that owns the tables, as \`catalog migrate\` does. Ends with 1 when something differs and was not repaired.`,
  examples: ['catalog check', 'catalog check --shop shop.example --repair', 'catalog check --json | jq .differences'],
  define(command, perform) {
    command
      .option('--shop <domain>', 'only this shop (default: all, and what deleted shops left behind)', parseDomain)
      .option('--repair', 'correct what differs');
    addJsonOption(
      command,
      '{"ok", "repaired", "shops", "differences": [{"shop", "kind", "count", "examples"}]}',
    ).action(({ shop, repair = false }: Options) =>
      perform(async ({ database, log, lockTimeoutMilliseconds }) => {
        const { checkDerived } = await import('../../database/derived/check-derived.js');
        const { url } = await database();
        const report = await checkDerived({
          url,
          domain: shop,
          repair,
          onShop: (domain) => log(`checking ${domain}`),
          onWait: log,
          lockTimeoutMilliseconds,
        });
        const ok = report.differences.length === 0;
        const repaired = repair && !ok;
        return {
          json: { ok, repaired, ...report },
          text: [...report.differences.flatMap(describe), conclude(report, repaired)].join('\n'),
          exitCode: ok || repaired ? 0 : 1,
        };
      }),
    );
  },
};

function describe({ shop, kind, count, examples }: DifferencesOfKind): string[] {
  const more = count > examples.length ? [`  and ${count - examples.length} more`] : [];
  return [
    `${shop ?? 'no shop'}: ${kind}, ${count} ${count === 1 ? 'difference' : 'differences'}`,
    ...examples.map(
      ({ object, stored, expected }) => `  ${object}: expected ${quoted(expected)}, got ${quoted(stored)}`,
    ),
    ...more,
  ];
}

const quoted = (value: string | null): string => (value === null ? 'nothing' : JSON.stringify(value));

function conclude({ shops, differences }: CheckReport, repaired: boolean): string {
  const checked = `${shops} ${shops === 1 ? 'shop' : 'shops'} checked`;
  if (differences.length === 0) return `${checked}: nothing differs.`;
  const count = differences.reduce((sum, kind) => sum + kind.count, 0);
  if (repaired) return `${checked}: ${count} repaired.`;
  const [verb, what] = count === 1 ? ['differs', 'it'] : ['differ', 'them'];
  return `${checked}: ${count} ${verb}. \`catalog check --repair\` corrects ${what}.`;
}
