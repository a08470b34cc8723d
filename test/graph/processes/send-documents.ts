import type { Principal } from '../../../src/auth/principal';
import type { Database } from '../../../src/database/database';
import { createGraph } from '../../../src/graph/create-graph';
import { createGraphqlServer, createLocalGateway } from '../../../src/graph/graphql-server';

/*
 * Sends many distinct documents through the whole server, on a small heap, and prints by how much the heap has grown.
 * No database: every document selects only the schema or the type's name.
 */

const mebibyte = 1024 * 1024;
/**
 * Documents with their operations, and texts by hash, may use 20 MB by their own estimates. The rest is what V8 itself
 * retains.
 */
const boundBytes = 40 * mebibyte;

async function sendDocuments(): Promise<void> {
  const graph = createGraph({
    database: {} as Database,
    cursorSecrets: ['a secret of the tests, which is long'],
    build: 'test',
  });
  const server = createGraphqlServer({
    gateway: createLocalGateway({ ...graph, execute: graph.executeCached }),
    production: false,
    onInternalError: (error) => {
      throw error;
    },
  });
  await server.start();
  const send = async (query: string, shop: string | undefined) => {
    const principal = shop && ({ scopes: [], dataVersion: '1', shop: { id: shop } } as unknown as Principal);
    const { body } = await server.executeOperation({ query }, { contextValue: { principal: principal || undefined } });
    if (body.kind !== 'single' || body.singleResult.errors) throw new Error(JSON.stringify(body));
  };
  const collect = globalThis.gc as () => void;
  const fields = Array.from(
    { length: 20 },
    (_, index) => `t${index}: name descriptions${index}OfThisType: description`,
  );
  const documentOf = (index: number) =>
    `# ${String(index).padEnd(9_000, 'x')}\n{ __typename __schema { queryType { ${fields.join(' ')} } } }`;

  for (let time = 0; time < 3; time += 1) await send(documentOf(-1), 'shop');
  collect();
  const before = process.memoryUsage().heapUsed;
  for (let index = 0; index < 400; index += 1) {
    const shop = [undefined, 'one', 'two', 'three'][index % 4];
    for (let time = 0; time < 3; time += 1) await send(documentOf(index), shop);
  }
  collect();
  const grownBytes = process.memoryUsage().heapUsed - before;
  console.log(JSON.stringify({ grownBytes, boundBytes }));
}

void sendDocuments();
