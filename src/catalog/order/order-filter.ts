import type { Prisma } from '../../database/generated/client';
import { equals } from '../condition';

/** The argument `filter` of `orders`, as the schema describes it. */
export interface OrderFilter {
  readonly financialStatus?: string | null;
  readonly fulfillmentStatus?: string | null;
}

/** The conditions an order must meet. */
export function toOrderConditions(filter: OrderFilter): readonly Prisma.Sql[] {
  return [
    ...equals('financial_status', filter.financialStatus),
    ...equals('fulfillment_status', filter.fulfillmentStatus),
  ];
}
