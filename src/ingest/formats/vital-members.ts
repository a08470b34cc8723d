import type { CatalogRecord } from './record';

/** Fields that a file should provide for each object, and their default for new objects. */
export const vital = {
  status: ['product', 'status', 'new products are ACTIVE (Shopify: DRAFT if not published)'],
  price: [
    'product',
    'variant price (or has only one of regular price and sale price)',
    'new variants have no price (or only that one)',
  ],
  created_at: ['order', 'created_at', 'new orders have no created_at, so date filters and totals exclude them'],
  currency: ['order', 'currency', 'new orders have no currency'],
  total_price: ['order', 'total_price', 'new orders have no total_price'],
  financial_status: ['order', 'financial_status', 'new orders have no financial_status'],
} as const;

const names = Object.keys(vital) as (keyof typeof vital)[];

/** Counts vital fields that a file does not provide, for every format. */
export class VitalMembers {
  readonly #counts = new Map<keyof typeof vital, number>();

  note(record: CatalogRecord): void {
    if ((record.kind !== 'product' && record.kind !== 'order') || record.absent === undefined) return;
    const absent: ReadonlySet<string> = record.kind === 'order' ? record.absent : new Set([...record.absent.product, ...record.absent.variant]); // prettier-ignore
    for (const name of names)
      if (vital[name][0] === record.kind && absent.has(name)) this.#counts.set(name, (this.#counts.get(name) ?? 0) + 1);
  }

  get warnings(): readonly string[] {
    return [...this.#counts].map(([name, count]) => {
      const [kind, label, without] = vital[name];
      return `the file has no ${label} for ${count} ${kind}${count === 1 ? '' : 's'}: stored values were kept; ${without}`;
    });
  }
}
