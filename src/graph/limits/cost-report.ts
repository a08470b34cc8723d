import type { CheckedOperation } from './limits';
import type { ExpensiveField } from './operation-cost';

/** Asks for `extensions.cost` in the answer: `X-GraphQL-Cost: 1`. */
export const costReportHeader = 'x-graphql-cost';

/** `extensions.cost`: what the operation cost of what it may cost, and where. */
export interface CostReport {
  readonly requested: number;
  readonly allowed: number;
  readonly depth: number;
  /** null when nothing in the operation costs anything. */
  readonly mostExpensive: ExpensiveField | null;
}

/** Whether the header asks for the report: `1` or `true`, anything else does not. */
export const isCostReportRequested = (header: string | undefined): boolean =>
  header !== undefined && ['1', 'true'].includes(header.trim().toLowerCase());

/** The report on an operation that was within the limits. */
export const toCostReport = (checked: CheckedOperation): CostReport => ({
  requested: checked.cost,
  allowed: checked.maxCost,
  depth: checked.depth,
  mostExpensive: checked.findMostExpensive() ?? null,
});
