import type { Database } from '../../database/database';
import { AdministrationError } from '../../errors/administration-error';

export const plans = ['free', 'starter', 'pro', 'business'] as const;

export type Plan = (typeof plans)[number];

/** A shop as the command line shows it with --json; programs rely on the names. */
export interface ShopSummary {
  readonly id: string;
  readonly domain: string;
  readonly name: string | null;
  readonly platform: string | null;
  readonly currency: string | null;
  readonly plan: Plan;
  readonly product_limit: number | null;
  /** Products readable through the API: min(limit, live products) (D8). */
  readonly product_count: number;
}

type ShopRow = Omit<ShopSummary, 'product_count'> & { live_product_count: bigint };

export interface NewShop {
  readonly domain: string;
  readonly name: string | null;
  readonly platform: string | null;
  readonly currency: string | null;
  readonly plan: Plan;
  readonly productLimit: number | null;
}

/**
 * Connects a shop.
 * @throws AdministrationError ALREADY_EXISTS when its domain is taken.
 */
export async function createShop(database: Database, shop: NewShop): Promise<ShopSummary> {
  const [row] = await database.prisma.$queryRaw<ShopRow[]>`
    INSERT INTO shops (domain, name, platform, currency, plan, product_limit)
    VALUES (${shop.domain}, ${shop.name}, ${shop.platform}, ${shop.currency}, ${shop.plan}, ${shop.productLimit}::integer)
    ON CONFLICT (domain) DO NOTHING
    RETURNING shop_id::text AS id, domain, name, platform, currency, plan, product_limit, live_product_count`;
  if (row === undefined) {
    throw new AdministrationError(
      'ALREADY_EXISTS',
      `A shop with the domain ${shop.domain} exists already. \`catalog shop set ${shop.domain}\` changes it.`,
    );
  }
  return toShopSummary(row);
}

/** What to change; an undefined member stays as it is. */
export interface ShopChanges {
  readonly plan: Plan | undefined;
  readonly productLimit: number | null | undefined;
}

/**
 * Changes plan and limit; the very next answer of the API shows it (D8).
 * @throws AdministrationError NOT_FOUND when there is no such shop.
 */
export async function setShop(database: Database, domain: string, changes: ShopChanges): Promise<ShopSummary> {
  const keepsLimit = changes.productLimit === undefined;
  const [row] = await database.prisma.$queryRaw<ShopRow[]>`
    UPDATE shops
       SET plan = coalesce(${changes.plan ?? null}::text, plan),
           product_limit = CASE WHEN ${keepsLimit}::boolean THEN product_limit ELSE ${changes.productLimit ?? null}::integer END
     WHERE domain = ${domain}
    RETURNING shop_id::text AS id, domain, name, platform, currency, plan, product_limit, live_product_count`;
  if (row === undefined) {
    throw new AdministrationError(
      'NOT_FOUND',
      `There is no shop with the domain ${domain}. \`catalog shop list\` shows all.`,
    );
  }
  return toShopSummary(row);
}

/** Every shop, oldest first. */
export async function listShops(database: Database): Promise<readonly ShopSummary[]> {
  const rows = await database.prisma.$queryRaw<ShopRow[]>`
    SELECT shop_id::text AS id, domain, name, platform, currency, plan, product_limit, live_product_count
      FROM shops
     ORDER BY created_at, shop_id`;
  return rows.map(toShopSummary);
}

function toShopSummary({ live_product_count: live, ...row }: ShopRow): ShopSummary {
  return { ...row, product_count: Math.min(row.product_limit ?? Infinity, Number(live)) };
}
