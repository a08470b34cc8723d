import { exchange } from './rest-client';

export interface GraphqlAnswer<Data> {
  readonly status: number;
  readonly headers: Readonly<Record<string, string | string[] | undefined>>;
  readonly text: string;
  /** Typed by the test; tests of refusals check `errors` first. */
  readonly data: Data;
  readonly errors: readonly GraphqlAnswerError[] | undefined;
  readonly extensions: Readonly<Record<string, unknown>> | undefined;
}

interface GraphqlAnswerError {
  readonly message: string;
  readonly path?: readonly (string | number)[];
  readonly extensions: Readonly<Record<string, unknown>>;
}

/** Sends a document to /graphql over real HTTP. */
export async function askGraphql<Data = unknown>(
  origin: string,
  credential: string | undefined,
  query: string,
  variables: Readonly<Record<string, unknown>> = {},
  headers: Readonly<Record<string, string>> = {},
  operationName?: string,
): Promise<GraphqlAnswer<Data>> {
  const answer = await exchange(origin, '/graphql', {
    method: 'POST',
    headers: {
      'Content-Type': 'application/json',
      ...(credential === undefined ? {} : { Authorization: `Bearer ${credential}` }),
      ...headers,
    },
    body: JSON.stringify({ query, variables, operationName }),
  });
  const body = (answer.body ?? {}) as Pick<GraphqlAnswer<Data>, 'data' | 'errors' | 'extensions'>;
  return { ...answer, data: body.data, errors: body.errors, extensions: body.extensions };
}
