import type { GraphqlErrorEntry } from './errors.ts';
import { GraphqlError } from './errors.ts';
import type { HttpAnswer } from './exchange.ts';
import { detailsOf, parseJson, unexpected } from './exchange.ts';
import type { Transport } from './transport.ts';
import type { CallOptions } from './types.ts';

/**
 * A document that knows its types: what graphql-codegen (`TypedDocumentString`, `TypedDocumentNode`) and gql.tada make.
 * Only `__apiType`, which no value has, carries the types.
 */
export interface TypedDocument<Data, Variables> {
  readonly __apiType?: (variables: Variables) => Data;
}

type VariablesArgument<Variables> = object extends Variables
  ? [variables?: Variables, options?: CallOptions]
  : [variables: Variables, options?: CallOptions];

/** Runs a document and returns its data. If the response has errors, throws a GraphqlError that contains the data. */
export interface RunGraphql {
  <Data, Variables>(document: TypedDocument<Data, Variables>, ...rest: VariablesArgument<Variables>): Promise<Data>;
  <Data = unknown>(
    document: string,
    variables?: Readonly<Record<string, unknown>>,
    options?: CallOptions,
  ): Promise<Data>;
}

/** Prints a parsed document: `print` from graphql. */
export type PrintDocument = (document: never) => string;

export function createGraphql(origin: string, transport: Transport, print?: PrintDocument): RunGraphql {
  const run = async (document: unknown, variables?: unknown, { signal }: CallOptions = {}): Promise<unknown> =>
    transport.send(
      {
        url: `${origin}/graphql`,
        method: 'POST',
        headers: { 'Content-Type': 'application/json', Accept: 'application/graphql-response+json, application/json' },
        body: JSON.stringify({ query: toText(document, print), variables }),
      },
      readData,
      signal,
    );
  return run;
}

function readData(answer: HttpAnswer): unknown {
  const body = parseJson(answer);
  if (Array.isArray(body['errors'])) {
    const details = { status: answer.status, ...detailsOf(answer.headers) };
    throw new GraphqlError(body['errors'] as readonly GraphqlErrorEntry[], body['data'], details);
  }
  if (body['data'] === undefined) throw unexpected(answer, 'a GraphQL response');
  return body['data'];
}

function toText(document: unknown, print: PrintDocument | undefined): string {
  if (typeof document === 'string' || document instanceof String) return String(document);
  if (print !== undefined) return print(document as never);
  throw new TypeError(
    'graphql: expected the document as a string, got a parsed document. To use parsed documents, pass the `print` function of graphql to createCatalogClient.',
  );
}
