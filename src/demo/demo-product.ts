import type { Database } from '../database/database';
import { toDatabaseApiError } from '../database/database-failure';

export const demoDomain = 'nordlicht-mori.example';

/**
 * The oldest product of the demo shop, for examples. Returns undefined when there is none, and while the database is
 * unavailable, so that startup does not fail for it.
 */
export async function findDemoProduct(database: Database): Promise<string | undefined> {
  const product = await database.prisma.product
    .findFirst({
      where: { shop: { domain: demoDomain }, deletedAt: null },
      orderBy: [{ createdAt: 'asc' }, { id: 'asc' }],
      select: { id: true },
    })
    .catch((thrown: unknown) => {
      if (toDatabaseApiError(thrown) === undefined) throw thrown;
      return null;
    });
  return product?.id;
}
