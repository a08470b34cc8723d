import type { PrismaClient } from './generated/client';

/** An open connection pool to PostgreSQL behind a Prisma client. */
export interface Database {
  readonly prisma: PrismaClient;
  readonly url: string;
  close(): Promise<void>;
}
