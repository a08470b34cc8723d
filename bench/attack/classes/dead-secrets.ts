import { setTimeout as delay } from 'node:timers/promises';
import type { Attack, Scene } from '../attack';
import type { SeededKey } from '../../../test/support/seed';

/** Ways to end a secret, as the command line and administrators do it. */
const revocations = [
  `UPDATE api_keys SET secret_digest = sha256(gen_random_uuid()::text::bytea), previous_secret_digest = NULL WHERE client_id = $1`,
  'UPDATE api_keys SET revoked_at = now() WHERE client_id = $1',
  'DELETE FROM api_keys WHERE client_id = $1',
];

const json = { 'Content-Type': 'application/json', Accept: 'application/json, text/event-stream' };
const calls = [
  { path: '/v1/products' },
  { path: '/export' },
  { path: '/changes' },
  { path: '/graphql', method: 'POST', headers: json, body: '{"query":"{ shop { name } }"}' },
  { path: '/mcp', method: 'POST', headers: json, body: '{"jsonrpc":"2.0","id":1,"method":"tools/list"}' },
];

async function getToken({ attacker }: Scene, { clientId, clientSecret }: SeededKey): Promise<string> {
  const { text } = await attacker.send({
    path: '/oauth/token',
    method: 'POST',
    headers: {
      Authorization: `Basic ${Buffer.from(`${clientId}:${clientSecret}`).toString('base64')}`,
      'Content-Type': 'application/x-www-form-urlencoded',
    },
    body: 'grant_type=client_credentials',
  });
  return (JSON.parse(text) as { access_token: string }).access_token;
}

/** Opens quiet streams with a key and its token, ends the secret, and tries both again everywhere. */
async function tryDeadSecret(scene: Scene): Promise<void> {
  const { attacker, random, shop, sql, isShort, isRunning, fail } = scene;
  const key = await shop.createKey();
  const credentials = [key.apiKey, await getToken(scene, key)];
  const streams = credentials.map((credential) => {
    const socket = attacker.open().resume();
    const lines = [`Authorization: Bearer ${credential}`, 'Host: a', 'Accept: text/event-stream'];
    attacker.write(socket, `GET /changes?after=now HTTP/1.1\r\n${lines.join('\r\n')}\r\n\r\n`);
    return socket;
  });
  await delay(random.integer(500, 1_000));
  await sql(random.pick(revocations), [key.clientId.slice(key.clientId.indexOf('_') + 1)]);
  const since = performance.now();
  for (const credential of credentials) {
    for (const { headers, ...call } of calls) {
      const { status } = await attacker.send({
        ...call,
        headers: { ...headers, Authorization: `Bearer ${credential}` },
      });
      if (status === 200) fail('a revoked secret was accepted', call.path);
    }
  }
  while (!isShort && isRunning() && streams.some(({ destroyed }) => !destroyed)) {
    if (performance.now() - since > 60_000) return fail('a stream with a revoked secret is still open after a minute');
    await delay(500);
  }
}

export const deadSecrets: Attack = {
  name: 'dead-secrets',
  what: 'keys, tokens and open streams of secrets that were rotated away, revoked or deleted',
  seconds: { full: 70, short: 3 },
  run: (scene) => scene.attacker.flood(10, () => tryDeadSecret(scene)),
};
