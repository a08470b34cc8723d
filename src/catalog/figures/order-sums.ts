import { orderRedaction } from '../order/order-privacy';
import type { OrderGroup } from '../rows/figure-statement';

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
  readonly financialStatuses: readonly OrderStatusSums[];
  readonly fulfillmentStatuses: readonly OrderStatusSums[];
}

/** Adds up decimals exactly. The sum has as many places as the addend with the most. */
class DecimalSum {
  #units = 0n;
  #scale = 0;

  add({ units, scale }: Decimal): void {
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

class Accounts {
  #count = 0;
  readonly #amounts = [new DecimalSum(), new DecimalSum(), new DecimalSum()] as const;

  add(count: number, amounts: readonly Decimal[]): void {
    this.#count += count;
    this.#amounts.forEach((sum, index) => sum.add(amounts[index] as Decimal));
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

class CurrencyAccounts extends Accounts {
  readonly financialStatuses = new Map<string | null, Accounts>();
  readonly fulfillmentStatuses = new Map<string | null, Accounts>();
}

/** Adds groups of orders up by currency. */
export class OrderLedger {
  readonly #currencies = new Map<string | null, CurrencyAccounts>();

  add([, currency, financialStatus, fulfillmentStatus, count, ...texts]: OrderGroup): void {
    const amounts = texts.map(toDecimal);
    const accounts = findOrAdd(this.#currencies, currency, () => new CurrencyAccounts());
    accounts.add(count, amounts);
    const status = (of: Map<string | null, Accounts>, text: string | null) =>
      findOrAdd(of, text, () => new Accounts()).add(count, amounts);
    status(accounts.financialStatuses, toShown('financialStatus', financialStatus));
    status(accounts.fulfillmentStatuses, toShown('fulfillmentStatus', fulfillmentStatus));
  }

  /** By currency, orders without one last. */
  toSums(): readonly OrderSums[] {
    return [...this.#currencies]
      .sort(([a], [b]) => compareTexts(a, b))
      .map(([currency, accounts]) => ({
        currency,
        ...accounts.toSums(),
        financialStatuses: toStatusSums(accounts.financialStatuses),
        fulfillmentStatuses: toStatusSums(accounts.fulfillmentStatuses),
      }));
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
