/**
 * The reference: what a good engineer would write. Fastify, pg, prepared statements, one keyset page; no
 * authentication, no limits, no scopes, no plan, no entity tags. Paths below /authenticated read the key first, as any
 * service must whose keys can be revoked.
 */
import { createHash, timingSafeEqual } from 'node:crypto';
import Fastify from 'fastify';
import pg from 'pg';
import { announce, databaseUrl, shopId } from './listen.mjs';
import { pageSize, productFields, variantFields } from './product-sql.mjs';

pg.types.setTypeParser(pg.types.builtins.INT8, Number);
const pool = new pg.Pool({ connectionString: databaseUrl, max: 10 });
const app = Fastify();

const columns = productFields.join(', ');
const page = (name, after) => ({
  name,
  text: `SELECT ${columns} FROM products
          WHERE shop_id = $1 AND deleted_at IS NULL ${after}
          ORDER BY created_at, id LIMIT ${pageSize + 1}`,
});
const firstPage = page('first-page', '');
const laterPage = page('later-page', 'AND (created_at, id) > ($2, $3)');

const listProducts = async (request) => {
  const { cursor } = request.query;
  const { rows } = cursor
    ? await pool.query({ ...laterPage, values: [shopId, ...Buffer.from(cursor, 'base64url').toString().split('/')] })
    : await pool.query({ ...firstPage, values: [shopId] });
  const hasMore = rows.length > pageSize;
  if (hasMore) rows.pop();
  const last = rows.at(-1);
  return {
    data: rows,
    has_more: hasMore,
    next_cursor: hasMore ? Buffer.from(`${last.created_at.toISOString()}/${last.id}`).toString('base64url') : null,
  };
};

const product = {
  name: 'product',
  text: `SELECT ${columns} FROM products WHERE shop_id = $1 AND id = $2 AND deleted_at IS NULL`,
};
const variants = {
  name: 'variants',
  text: `SELECT ${variantFields.join(', ')} FROM variants WHERE shop_id = $1 AND product_id = $2 ORDER BY position, id`,
};

const getProduct = async (request, reply) => {
  const values = [shopId, request.params.id];
  const [found, belonging] = await Promise.all([
    pool.query({ ...product, values }),
    pool.query({ ...variants, values }),
  ]);
  if (found.rows.length === 0)
    return reply.code(404).send({ error: { code: 'NOT_FOUND', message: 'No such product.' } });
  return { data: { ...found.rows[0], variants: belonging.rows } };
};

const key = {
  name: 'key',
  text: `SELECT k.secret_digest, k.scopes, k.expires_at, k.revoked_at, s.plan, s.plan_status, s.data_version
           FROM api_keys AS k JOIN shops AS s USING (shop_id) WHERE k.shop_id = $1 AND k.client_id = $2`,
};
const authenticate = async (request, reply) => {
  const [, clientId, secret] = /^Bearer [a-z0-9]+_(\w+)\.(\w+)$/.exec(request.headers.authorization ?? '') ?? [];
  const { rows } = await pool.query({ ...key, values: [shopId, clientId ?? ''] });
  const digest = createHash('sha256')
    .update(secret ?? '')
    .digest();
  if (rows.length === 0 || rows[0].revoked_at || !timingSafeEqual(digest, rows[0].secret_digest))
    return reply.code(401).send({ error: { code: 'UNAUTHORIZED', message: 'The key is not valid.' } });
};
for (const [prefix, options] of Object.entries({ '': {}, '/authenticated': { onRequest: authenticate } })) {
  app.get(`${prefix}/products`, options, listProducts);
  app.get(`${prefix}/products/:id`, options, getProduct);
}

await app.listen({ port: 0, host: '127.0.0.1' });
announce(app.server.address().port);
