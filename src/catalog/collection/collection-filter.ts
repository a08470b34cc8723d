import { Prisma } from '../../database/generated/client';

/** The argument `filter` of `collections`, as the schema describes it. */
export interface CollectionFilter {
  readonly published?: boolean | null;
}

/** The conditions a collection must meet. */
export function toCollectionConditions({ published }: CollectionFilter): readonly Prisma.Sql[] {
  return typeof published === 'boolean' ? [Prisma.sql`t.published = ${published}::boolean`] : [];
}
