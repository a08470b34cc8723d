import type { Client, Connection } from 'pg';

/** Runs `COPY … FROM STDIN` with the given lines of text format: the wire protocol's own way of bulk loading. */
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
      // After an error pg calls nothing else of this.
      handleError: (error: Error) => reject(error),
      handleReadyForQuery: () => resolve(),
    } as unknown as string);
  });
}
