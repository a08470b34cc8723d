/** PostgreSQL makes the JSON, Fastify passes it on: the lower bound for work with one query per request. */
import Fastify from 'fastify';
import pg from 'pg';
import { announce, databaseUrl, shopId } from './listen.mjs';
import { jsonColumns, pageSize, productFields, variantFields } from './product-sql.mjs';

const pool = new pg.Pool({ connectionString: databaseUrl, max: 10 });
const app = Fastify();

const page = (name, after) => ({
  name,
  text: `SELECT string_agg(row_to_json(r)::text, ',') FILTER (WHERE n <= ${pageSize}) AS data, count(*) AS found,
                max(numbered.id::text) FILTER (WHERE n = ${pageSize}) AS last_id, max(numbered.created_at) FILTER (WHERE n = ${pageSize}) AS last_at
           FROM (SELECT ${jsonColumns(productFields)}, row_number() OVER (ORDER BY p.created_at, p.id) AS n FROM products AS p
                  WHERE shop_id = $1 AND deleted_at IS NULL ${after}
                  ORDER BY p.created_at, p.id LIMIT ${pageSize + 1}) AS numbered
          CROSS JOIN LATERAL (SELECT ${productFields.map((field) => `numbered.${field}`).join(', ')}) AS r`,
});
const firstPage = page('first-page', '');
const laterPage = page('later-page', 'AND (created_at, id) > ($2, $3)');

app.get('/products', async (request, reply) => {
  const { cursor } = request.query;
  const { rows } = cursor
    ? await pool.query({ ...laterPage, values: [shopId, ...Buffer.from(cursor, 'base64url').toString().split('/')] })
    : await pool.query({ ...firstPage, values: [shopId] });
  const [{ data, found, last_id: id, last_at: at }] = rows;
  const hasMore = Number(found) > pageSize;
  const next = hasMore ? `"${Buffer.from(`${at}/${id}`).toString('base64url')}"` : 'null';
  return reply
    .type('application/json; charset=utf-8')
    .send(`{"data":[${data ?? ''}],"has_more":${hasMore},"next_cursor":${next}}`);
});

const product = {
  name: 'product',
  text: `SELECT row_to_json(r)::text AS data FROM (
           SELECT ${jsonColumns(productFields)}, (
                  SELECT coalesce(json_agg(v), '[]') FROM (
                         SELECT ${jsonColumns(variantFields)} FROM variants AS w
                          WHERE shop_id = $1 AND product_id = $2 ORDER BY w.position, w.id) AS v) AS variants
             FROM products WHERE shop_id = $1 AND id = $2 AND deleted_at IS NULL) AS r`,
};

app.get('/products/:id', async (request, reply) => {
  const { rows } = await pool.query({ ...product, values: [shopId, request.params.id] });
  if (rows.length === 0) return reply.code(404).send({ error: { code: 'NOT_FOUND', message: 'No such product.' } });
  return reply.type('application/json; charset=utf-8').send(`{"data":${rows[0].data}}`);
});

await app.listen({ port: 0, host: '127.0.0.1' });
announce(app.server.address().port);
