import type { Client, Connection, Submittable } from 'pg';

/** The part of pg's connection that speaks the COPY protocol, which its types omit. */
interface CopyingConnection {
  query(text: string): void;
  sendCopyFromChunk(chunk: Buffer): void;
  endCopyFrom(): void;
}

/** Runs `COPY … FROM STDIN` with the given rows. */
export async function copyIn(client: Client, statement: string, rows: string): Promise<void> {
  await new Promise<void>((resolve, reject) => {
    const copy = {
      submit: (connection: Connection) => (connection as unknown as CopyingConnection).query(statement),
      handleCopyInResponse(connection: CopyingConnection) {
        connection.sendCopyFromChunk(Buffer.from(rows));
        connection.endCopyFrom();
      },
      handleCommandComplete: () => undefined,
      handleReadyForQuery: () => resolve(),
      handleError: (error: Error) => reject(error),
    };
    client.query(copy as Submittable);
  });
}
