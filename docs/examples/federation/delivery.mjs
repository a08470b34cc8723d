// A minimal subgraph of another team: how many days the delivery of a product takes.
import { createServer } from 'node:http';
import { buildSchema, graphql } from 'graphql';

const sdl = `
  extend schema @link(url: "https://specs.apollo.dev/federation/v2.3", import: ["@key"])
  type Product @key(fields: "id") { id: ID! deliveryDays: Int! }
`;
const schema = buildSchema(`
  scalar _Any
  type _Service { sdl: String! }
  type Product { id: ID! deliveryDays: Int! }
  union _Entity = Product
  type Query { _service: _Service! _entities(representations: [_Any!]!): [_Entity]! }
`);

const toProduct = ({ id }) => ({ __typename: 'Product', id, deliveryDays: 1 + (id.charCodeAt(id.length - 1) % 5) });
const rootValue = {
  _service: { sdl },
  _entities: ({ representations }) => representations.map(toProduct),
};

const server = createServer(async (request, response) => {
  const chunks = await request.setEncoding('utf8').toArray();
  const { query, variables } = JSON.parse(chunks.join(''));
  const result = await graphql({ schema, source: query, variableValues: variables, rootValue });
  response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify(result));
});
server.listen(Number(process.argv[2] ?? 4002), '127.0.0.1', () =>
  console.log(`delivery subgraph on http://127.0.0.1:${server.address().port}/graphql`),
);
