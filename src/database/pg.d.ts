import 'pg';

/** Properties that connections have and their published types do not. */
declare module 'pg' {
  interface Client {
    /** Identifies the connection to the server, with the key. */
    readonly processID: number;
    readonly secretKey: number;
    /** False while a statement is in progress. */
    readonly readyForQuery: boolean;
  }
  interface Connection {
    /** Texts by name: statements that the driver need not send again. */
    readonly parsedStatements: Record<string, string>;
  }
}
