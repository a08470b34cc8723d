import { orderRedaction } from '../order/order-privacy';
import type { OrderGroup, OrderStatusName } from '../rows/figure-statement';

/** Orders counted and summed up, amounts as decimals. */
interface Sums {
  readonly count: number;
  readonly totalPrice: string;
  readonly totalTax: string;
  readonly totalShipping: string;
}

/** Orders in one currency and status. */
export interface OrderStatusSums extends Sums {
  readonly status: string | null;
}

/** Orders in one currency. */
export interface OrderSums extends Sums {
  readonly currency: string | null;
  /** The same orders by a status, read when they are asked for. */
  readonly byStatus: (status: 'financialStatus' | 'fulfillmentStatus') => Promise<readonly OrderStatusSums[]>;
}

/** Adds up decimals exactly. */
class DecimalSum {
  #units = 0n;
  #scale = 0;

  /** @param places how many the sum has at least */
  add({ units, scale }: Decimal, places: number): void {
    if (places > scale) {
      this.add({ units: units * 10n ** BigInt(places - scale), scale: places }, places);
      return;
    }
    if (scale > this.#scale) {
      this.#units *= 10n ** BigInt(scale - this.#scale);
      this.#scale = scale;
    }
    this.#units += scale < this.#scale ? units * 10n ** BigInt(this.#scale - scale) : units;
  }

  toString(): string {
    const digits = String(this.#units < 0n ? -this.#units : this.#units).padStart(this.#scale + 1, '0');
    const point = digits.length - this.#scale;
    return `${this.#units < 0n ? '-' : ''}${digits.slice(0, point)}${this.#scale > 0 ? `.${digits.slice(point)}` : ''}`;
  }
}

interface Decimal {
  readonly units: bigint;
  readonly scale: number;
}

function toDecimal(text: string): Decimal {
  const point = text.indexOf('.');
  return point < 0
    ? { units: BigInt(text), scale: 0 }
    : { units: BigInt(text.slice(0, point) + text.slice(point + 1)), scale: text.length - point - 1 };
}

interface Addend {
  readonly count: number;
  readonly places: number;
  readonly amounts: readonly Decimal[];
}

/** All sums have as many places as the longest of the amounts. */
class Accounts {
  #count = 0;
  readonly #amounts = [new DecimalSum(), new DecimalSum(), new DecimalSum()] as const;

  add({ count, places, amounts }: Addend): void {
    this.#count += count;
    this.#amounts.forEach((sum, index) => sum.add(amounts[index] as Decimal, places));
  }

  toSums(): Sums {
    const [totalPrice, totalTax, totalShipping] = this.#amounts;
    return {
      count: this.#count,
      totalPrice: String(totalPrice),
      totalTax: String(totalTax),
      totalShipping: String(totalShipping),
    };
  }
}

/** Adds groups of orders up by currency and one status, or none. */
export class OrderLedger {
  readonly #currencies = new Map<string | null, Map<string | null, Accounts>>();

  /** @param status what the group's status is */
  add([, currency, text, count, places, ...texts]: OrderGroup, status: OrderStatusName): void {
    const accounts = findOrAdd(this.#currencies, currency, () => new Map<string | null, Accounts>());
    const shown = status === undefined ? null : toShown(status, text);
    findOrAdd(accounts, shown, () => new Accounts()).add({ count, places, amounts: texts.map(toDecimal) });
  }

  /** Orders without a currency last; the most frequent status first. */
  toSums(): ReadonlyMap<string | null, readonly OrderStatusSums[]> {
    return new Map(
      [...this.#currencies]
        .sort(([a], [b]) => compareTexts(a, b))
        .map(([currency, accounts]) => [currency, toStatusSums(accounts)]),
    );
  }
}

/** A status with an e-mail address does not leave in figures either (D25). */
const toShown = (member: 'financialStatus' | 'fulfillmentStatus', status: string | null): string | null =>
  status === null ? null : (orderRedaction.members[member]?.(status as never, '') as string | null);

const toStatusSums = (statuses: ReadonlyMap<string | null, Accounts>): readonly OrderStatusSums[] =>
  [...statuses]
    .map(([status, accounts]) => ({ status, ...accounts.toSums() }))
    .sort((a, b) => b.count - a.count || compareTexts(a.status, b.status));

/** Null comes last. */
const compareTexts = (a: string | null, b: string | null): number =>
  a === b ? 0 : a === null ? 1 : b === null ? -1 : a < b ? -1 : 1;

function findOrAdd<Key, Value>(map: Map<Key, Value>, key: Key, create: () => Value): Value {
  const found = map.get(key);
  if (found !== undefined) return found;
  const created = create();
  map.set(key, created);
  return created;
}
