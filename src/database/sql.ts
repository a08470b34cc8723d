import { Prisma } from './generated/client';

/**
 * Statements of our own, with their parameters: the only module that knows where their tag comes from. They run
 * through `Database.readRows`; models run through `Database.prisma`.
 */
export type Sql = Prisma.Sql;

/** A statement, or a part of one; interpolated values become parameters. */
export const sql = Prisma.sql;
/** SQL as it is: never for a text from outside. */
export const rawSql = Prisma.raw;
export const joinSql = Prisma.join;
export const emptySql = Prisma.empty;
