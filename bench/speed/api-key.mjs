import { createHash, randomBytes } from 'node:crypto';
import pg from 'pg';

const digits = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz';

function toBase62(value, width) {
  let text = '';
  for (let rest = value; text.length < width; rest /= 62n) text = digits[Number(rest % 62n)] + text;
  return text;
}

/**
 * A key with every scope, written directly into the table so that the benchmark needs only the project's service. A
 * client id starts with its shop's id, and of a secret only the SHA-256 digest is stored.
 */
export async function createApiKey(url, shopId) {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  try {
    const clientId =
      toBase62(BigInt(`0x${shopId.replaceAll('-', '')}`), 22) +
      toBase62(BigInt(`0x${randomBytes(7).toString('hex')}`), 10);
    const secret = toBase62(BigInt(`0x${randomBytes(32).toString('hex')}`), 43);
    await client.query(
      `WITH key AS (
         INSERT INTO api_keys (shop_id, client_id, key_prefix, name, scopes, secret_digest)
         VALUES ($1, $2, 'ck', 'bench', ARRAY['catalog:read', 'orders:read', 'account:read'], $3) RETURNING shop_id, client_id)
       INSERT INTO key_uses (shop_id, client_id) SELECT shop_id, client_id FROM key`,
      [shopId, clientId, createHash('sha256').update(secret).digest()],
    );
    return { clientId: `ck_${clientId}`, secret, apiKey: `ck_${clientId}.${secret}` };
  } finally {
    await client.end();
  }
}
