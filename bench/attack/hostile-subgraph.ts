import type { ServerResponse } from 'node:http';
import type { StubRequest } from '../../test/federation/support/stub-server';
import { json, startStubServer } from '../../test/federation/support/stub-server';

/** A subgraph under the attacker's control. It joins the graph as any other does, and becomes malicious then. */
export interface HostileSubgraph {
  readonly url: string;
  /** Sets its SDL from now on, as returned for `_service`: a text, or what a malicious subgraph sends in its place. */
  sdl: unknown;
  /** Sets how it answers operations from now on; undefined: correctly. */
  answer: ((response: ServerResponse, request: StubRequest) => void) | undefined;
  /** How many requests the gateway sent it: for its SDL, and for data. */
  readonly asked: { sdl: number; data: number };
  close(): Promise<void>;
}

/** The SDL that it joins with. */
export const honestSdl = /* GraphQL */ `
  extend schema @link(url: "https://specs.apollo.dev/federation/v2.5", import: ["@key", "@shareable", "@override"])
  type Product @key(fields: "id") {
    id: ID!
    score: Int
    label: String
    notes: [Note!]
  }
  type Note {
    text: String
    stars: Int
    marks: [String!]!
    author: Author
  }
  type Author {
    name: String!
    friend: Author
  }
  type Query {
    newestNotes: [Note!]
  }
`;

/** A note as defined in the SDL. */
export const honestNote = { text: 'Nice.', stars: 5, marks: ['a'], author: { name: 'Zoë', friend: null } };

const honestProduct = { score: 7, label: 'seven', notes: [honestNote] };

/** The answer of an honest subgraph to this request: by what the request's document selects at its root. */
export function answerHonestly({ body }: StubRequest): Record<string, unknown> {
  const { representations } = (body.variables ?? {}) as { representations?: readonly { id?: unknown }[] };
  return {
    ...(representations !== undefined && {
      _entities: representations.map(({ id }) => ({ __typename: 'Product', id, ...honestProduct })),
    }),
    ...(body.query.includes('newestNotes') && { newestNotes: [honestNote] }),
  };
}

export async function startHostileSubgraph(): Promise<HostileSubgraph> {
  const stub = await startStubServer();
  const subgraph: HostileSubgraph = {
    url: stub.url,
    sdl: honestSdl,
    answer: undefined,
    asked: { sdl: 0, data: 0 },
    close: () => stub.close(),
  };
  stub.answer = (response, request) => {
    stub.requests.length = 0;
    response.on('error', () => undefined);
    if (request.body.query.includes('_service')) {
      subgraph.asked.sdl++;
      return json(response, { data: { _service: { sdl: subgraph.sdl } } });
    }
    subgraph.asked.data++;
    if (subgraph.answer !== undefined) return subgraph.answer(response, request);
    json(response, { data: answerHonestly(request) });
  };
  return subgraph;
}
