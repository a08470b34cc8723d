import { ImportError } from './values/import-error';
import type { Allowance } from './allowance';
import type { Removal } from './write/import-report';

const defaultPercent = 20;

/** A kind that the files could have contained, and what happens to its objects. */
interface PlannedRemoval extends Removal {
  /** The number in the files. */
  readonly read: number;
}

/**
 * Keeps an incomplete file from emptying a shop: the removals of each kind must be within the allowance. Without an
 * allowance, the files must also contain some objects of the kind.
 * @returns undefined when all removals are allowed
 */
export function refuseRemoval(
  removals: readonly PlannedRemoval[],
  allowance: Allowance | undefined,
): ImportError | undefined {
  const refused = removals.filter((removal) => !isAllowed(removal, allowance));
  if (refused.length === 0) return undefined;
  const limit = allowance === undefined ? `${defaultPercent}%` : describe(allowance);
  const most = Math.max(...removals.map(({ count }) => count));
  return new ImportError(
    `--replace would remove ${refused.map(describeRemoval).join(', ')}. It can remove at most ${limit} of each kind: ` +
      `import complete data, omit --replace, or set --allow-removing ${most}\n` +
      refused.map(listExamples).join('\n'),
  );
}

function isAllowed({ count, of, read }: PlannedRemoval, allowance: Allowance | undefined): boolean {
  if (count === 0) return true;
  if (allowance === undefined) return read > 0 && count * 100 <= of * defaultPercent;
  return 'count' in allowance ? count <= allowance.count : count * 100 <= of * allowance.percent;
}

const describe = (allowance: Allowance): string =>
  'count' in allowance ? String(allowance.count) : `${allowance.percent}%`;

const describeRemoval = ({ kind, count, of, read }: PlannedRemoval): string =>
  `${count} of ${of} ${kind}s${read === 0 ? ' (none were read)' : ''}`;

const listExamples = ({ kind, count, examples }: PlannedRemoval): string =>
  `  ${kind}s: ${examples.join(', ')}${count > examples.length ? `, and ${count - examples.length} more` : ''}`;
