import type { ServerResponse } from 'node:http';
import type { StubRequest } from '../../federation/support/stub-server';
import { json, startStubServer } from '../../federation/support/stub-server';

/** A subgraph in the attacker's hands. It joins the graph as any other, and turns hostile then. */
export interface HostileSubgraph {
  readonly url: string;
  /** Its SDL from now on, as it stands in the answer to `_service`: a text, or what a hostile subgraph sends in its place. */
  sdl: unknown;
  /** How it answers operations from now on; undefined: as it should. */
  answer: ((response: ServerResponse, request: StubRequest) => void) | undefined;
  /** How often the gateway asked it: for its SDL, and for data. */
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

/** A note as the SDL has it. */
export const honestNote = { text: 'Nice.', stars: 5, marks: ['a'], author: { name: 'Zoë', friend: null } };

const honestProduct = { score: 7, label: 'seven', notes: [honestNote] };

/** What an honest subgraph says to this request: by what the request's document selects at its root. */
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
