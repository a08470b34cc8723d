import { Prisma } from '../database/generated/client';

/** A condition that no row meets. */
export const never = Prisma.sql`false`;

/** No text in PostgreSQL holds a NUL character, so a filter with one matches nothing; it is no error (D4). */
export const holdsNul = (text: string): boolean => text.includes('\0');

/** Exact, case-sensitive comparison (D5); absent or null does not restrict. */
export function equals(column: string, value: string | null | undefined): Prisma.Sql[] {
  if (value === null || value === undefined) return [];
  return [holdsNul(value) ? never : Prisma.sql`t.${Prisma.raw(column)} = ${value}::text`];
}
