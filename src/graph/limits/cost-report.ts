import type { CheckedOperation } from './limits';
import type { ExpensiveField } from './operation-cost';

/** The request header for `extensions.cost` in the answer: `X-GraphQL-Cost: 1`. */
export const costReportHeader = 'x-graphql-cost';

/** `extensions.cost`: the cost of the operation, the limit, and where the cost arises. */
export interface CostReport {
  readonly requested: number;
  readonly allowed: number;
  readonly depth: number;
  /** null if nothing in the operation costs anything. */
  readonly mostExpensive: ExpensiveField | null;
}

/** Whether the header requests the report: `1` or `true`; any other value does not. */
export const isCostReportRequested = (header: string | undefined): boolean =>
  header !== undefined && ['1', 'true'].includes(header.trim().toLowerCase());

/** The report on an operation that was within the limits. */
export const toCostReport = (checked: CheckedOperation): CostReport => ({
  requested: checked.cost,
  allowed: checked.maxCost,
  depth: checked.depth,
  mostExpensive: checked.findMostExpensive() ?? null,
});
