import { randomUUID } from 'node:crypto';
import { readJson } from '../../database/read-json';
import type { Database } from '../../database/database';
import { Prisma } from '../../database/generated/client';
import { sql } from '../../database/sql';
import { AdministrationError } from '../../errors/administration-error';
import type { Plan } from '../model';

/** A shop as the command line shows it with --json; programs rely on the names. */
export interface ShopSummary {
  readonly id: string;
  readonly domain: string;
  readonly name: string | null;
  readonly platform: string | null;
  readonly currency: string | null;
  readonly plan: Plan;
  readonly plan_status: string;
  readonly product_limit: number | null;
  /** Products readable through the API: min(limit, live products) (D8). */
  readonly product_count: number;
}

interface NewShop extends Pick<ShopSummary, 'domain' | 'name' | 'platform' | 'currency' | 'plan'> {
  readonly planStatus?: string;
  readonly productLimit: number | null;
}

/**
 * Connects a shop.
 * @throws AdministrationError ALREADY_EXISTS when its domain is already used.
 */
export async function createShop(database: Database, shop: NewShop): Promise<void> {
  const alreadyExists = `A shop with the domain ${shop.domain} already exists. Change it with \`catalog shop set ${shop.domain}\`.`;
  const shopId = randomUUID();
  const create = ({ shop: shops }: Pick<Prisma.TransactionClient, 'shop'>) =>
    shops.create({ data: { ...shop, shopId }, select: { shopId: true } });
  const claimAndCreate = async (transaction: Prisma.TransactionClient) => {
    const claimed = await transaction.$executeRaw`
      INSERT INTO shop_domains (domain, shop_id) VALUES (${shop.domain}, ${shopId}::uuid) ON CONFLICT DO NOTHING`;
    if (claimed === 0) throw new AdministrationError('ALREADY_EXISTS', alreadyExists);
    return create(transaction);
  };
  const { prisma } = database;
  await ((await hasDomainTable(database)) ? prisma.$transaction(claimAndCreate) : create(prisma)).catch(
    explain('P2002', 'ALREADY_EXISTS', alreadyExists),
  );
}

/**
 * When shops are distributed over nodes, no index on them can keep domains unique
 * (src/database/sharding/distribute.ts).
 */
const hasDomainTable = async (database: Database): Promise<boolean> =>
  (await readJson<boolean>(database, sql`SELECT (to_regclass('public.shop_domains') IS NOT NULL)::text`)) === true;

/** The changes; an undefined member keeps its value. */
interface ShopChanges {
  readonly plan: Plan | undefined;
  readonly planStatus?: string | undefined;
  readonly productLimit: number | null | undefined;
}

/**
 * Changes plan, its status and limit; the next response of the API shows it (D8).
 * @throws AdministrationError NOT_FOUND when there is no such shop.
 */
export async function setShop(database: Database, domain: string, changes: ShopChanges): Promise<void> {
  await database.prisma.shop
    .update({
      where: { shopId: await findShopId(database.prisma, domain) },
      data: {
        plan: changes.plan ?? Prisma.skip,
        planStatus: changes.planStatus ?? Prisma.skip,
        productLimit: orSkip(changes.productLimit),
      },
      select: { shopId: true },
    })
    .catch(explain('P2025', 'NOT_FOUND', noSuchShop(domain)));
}

const orSkip = <Value>(value: Value | undefined) => (value === undefined ? Prisma.skip : value);

/** Every shop, oldest first, or the one of a domain. Raw SQL: starting Prisma's engine takes ten times as long. */
export async function listShops(database: Database, domain: string | null = null): Promise<readonly ShopSummary[]> {
  const rows = await database.readRows(sql`
    SELECT json_build_object('id', shop_id, 'domain', domain, 'name', name, 'platform', platform, 'currency', currency,
             'plan', plan, 'plan_status', plan_status, 'product_limit', product_limit,
             'product_count', least(product_limit, live_product_count))::text
      FROM shops WHERE ${domain}::text IS NULL OR domain = ${domain} ORDER BY created_at, shop_id`);
  return rows.map(([shop]) => JSON.parse(shop as string) as ShopSummary);
}

/** Replaces an error of Prisma's with this code. */
const explain =
  (prismaCode: string, code: AdministrationError['code'], message: string) =>
  (thrown: unknown): never => {
    if (thrown instanceof Prisma.PrismaClientKnownRequestError && thrown.code === prismaCode) {
      throw new AdministrationError(code, message);
    }
    throw thrown;
  };

/** @throws AdministrationError NOT_FOUND when there is no such shop. */
export async function findShopId(prisma: Database['prisma'], domain: string): Promise<string> {
  const shop = await prisma.shop.findUnique({ where: { domain }, select: { shopId: true } });
  if (shop !== null) return shop.shopId;
  throw new AdministrationError('NOT_FOUND', noSuchShop(domain));
}

const noSuchShop = (domain: string): string => `Shop ${domain} not found. List the shops with \`catalog shop list\`.`;
