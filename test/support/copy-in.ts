import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import type { Client } from 'pg';
import { from as copyFrom } from 'pg-copy-streams';

/** Runs `COPY … FROM STDIN` with the given rows. */
export const copyIn = (client: Client, statement: string, rows: string): Promise<void> =>
  pipeline(Readable.from([Buffer.from(rows)]), client.query(copyFrom(statement)));
