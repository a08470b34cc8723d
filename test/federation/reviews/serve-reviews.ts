import type { IncomingMessage, ServerResponse } from 'node:http';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { graphql } from 'graphql';
import { createReviewsSubgraph, extraField } from './reviews-subgraph';

/** What `POST /control` changes: how the subgraph behaves from now on. */
export interface ReviewsControl {
  /** `down`: 503 for everything. `silent`: accepts requests and never responds. */
  readonly behavior?: 'normal' | 'down' | 'silent';
  readonly sdl?: 'normal' | 'extended';
  /** Added to the SDL from now on, and only there. */
  readonly addition?: string;
}

/** Serves the reviews subgraph at `/graphql` with nothing but node:http. Prints its address. */
export function serveReviews(port: number): void {
  let { behavior = 'normal' }: ReviewsControl = {};
  let subgraph = createReviewsSubgraph();

  function control({ behavior: next, sdl, addition }: ReviewsControl): void {
    behavior = next ?? behavior;
    if (sdl === 'normal') subgraph = createReviewsSubgraph();
    if (sdl === 'extended') subgraph = createReviewsSubgraph(extraField);
    if (addition !== undefined) subgraph = { ...subgraph, sdl: `${subgraph.sdl}\n${addition}` };
  }

  async function handle(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const body = JSON.parse((await readText(request)) || '{}') as Record<string, unknown>;
    if (request.url === '/control') {
      control(body);
      return send(response, 200, {});
    }
    if (behavior === 'silent') return;
    if (behavior === 'down') return send(response, 503, { error: 'down' });
    const source = String(body['query']);
    if (source.includes('_service')) return send(response, 200, { data: { _service: { sdl: subgraph.sdl } } });
    const result = await graphql({
      schema: subgraph.schema,
      source,
      variableValues: body['variables'] as Record<string, unknown>,
      contextValue: { headers: request.headers },
    });
    send(response, 200, result);
  }

  const server = createServer((request, response) => {
    handle(request, response).catch((thrown: unknown) =>
      send(response, 400, { errors: [{ message: String(thrown) }] }),
    );
  });
  server.listen(port, '127.0.0.1', () => {
    console.log(`reviews subgraph on http://127.0.0.1:${(server.address() as AddressInfo).port}/graphql`);
  });
}

async function readText(request: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = [];
  for await (const chunk of request) chunks.push(chunk as Buffer);
  return Buffer.concat(chunks).toString('utf8');
}

function send(response: ServerResponse, status: number, body: unknown): void {
  response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body));
}
