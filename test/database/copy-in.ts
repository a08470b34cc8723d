import type { Client, Connection } from 'pg';

/** Runs `COPY … FROM STDIN` with the given lines in text format, which is the wire protocol's bulk loading. */
export function copyIn(client: Client, statement: string, lines: readonly string[]): Promise<void> {
  return new Promise((resolve, reject) => {
    void client.query({
      submit: (connection: Connection & { sendCopyFromChunk(chunk: Buffer): void; endCopyFrom(): void }) => {
        connection.query(statement);
      },
      handleCopyInResponse: (connection: { sendCopyFromChunk(chunk: Buffer): void; endCopyFrom(): void }) => {
        connection.sendCopyFromChunk(Buffer.from(lines.map((line) => `${line}\n`).join('')));
        connection.endCopyFrom();
      },
      handleCommandComplete: () => undefined,
      // After an error, pg calls none of the other methods.
      handleError: (error: Error) => reject(error),
      handleReadyForQuery: () => resolve(),
    } as unknown as string);
  });
}
