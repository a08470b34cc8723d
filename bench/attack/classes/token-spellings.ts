import { parse } from '../../../test/support/check-answer';
import type { Attack, Scene } from '../attack';
import type { SeededKey } from '../../../test/support/seed';
import type { Random } from '../../../test/support/random';

const alphabet = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_';

/** Other texts that lenient decoders accept as the same token. */
function otherSpellings(token: string, random: Random): string[] {
  const [header = '', payload = '', signature = ''] = token.split('.');
  const last = alphabet.indexOf(signature.slice(-1));
  // 86 characters carry 64 bytes and four bits more.
  const tails = [...Array(16).keys()].map((bits) => alphabet[(last & 0x30) | bits] as string);
  const at = random.integer(1, signature.length - 1);
  const inserted = ['=', '==', '%3D', '\t', '.', '!', '\u00a0', '+', '~'].map(
    (text) => `${header}.${payload}.${signature.slice(0, at)}${text}${signature.slice(at)}`,
  );
  return [
    ...tails
      .filter((tail) => tail !== signature.slice(-1))
      .map((tail) => `${header}.${payload}.${signature.slice(0, -1)}${tail}`),
    ...inserted,
    `${token}=`,
    `${token}==`,
    `${token}A`,
    `${token}.`,
    `.${token}`,
    `${header}=.${payload}.${signature}`,
    `${header}.${payload}=.${signature}`,
    `${header}..${signature}`,
    `${header}.${payload}.${signature.toUpperCase()}`,
    ...[token.replaceAll('-', '+').replaceAll('_', '/')].filter((text) => text !== token),
  ];
}

export async function getToken(
  { attacker }: Pick<Scene, 'attacker'>,
  { clientId, clientSecret }: SeededKey,
): Promise<string> {
  const { text } = await attacker.send({
    path: '/oauth/token',
    method: 'POST',
    headers: {
      Authorization: `Basic ${Buffer.from(`${clientId}:${clientSecret}`).toString('base64')}`,
      'Content-Type': 'application/x-www-form-urlencoded',
    },
    body: 'grant_type=client_credentials',
  });
  return (parse(text) as { access_token: string }).access_token;
}

export const tokenSpellings: Attack = {
  name: 'token-spellings',
  what: 'access tokens in other spellings of the same bytes, before and after the right one was verified',
  target: 'plain',
  seconds: { full: 5, short: 2 },
  async run(scene) {
    const { attacker, random, fail } = scene;
    await attacker.flood(2, async () => {
      const token = await getToken(scene, await scene.shop.createKey());
      const status = async (bearer: string) =>
        (
          await attacker.send({
            path: '/v1/shop',
            headers: { Authorization: `Bearer ${bearer}` },
            label: bearer.slice(-30),
          })
        ).status;
      const spellings = otherSpellings(token, random);
      for (const when of ['before', 'after']) {
        for (const spelling of spellings) {
          const answered = await status(spelling);
          if (answered === 200)
            fail(`another spelling is taken ${when} the token was verified`, `…${spelling.slice(-12)}`);
        }
        if ((await status(token)) !== 200) fail('the token itself is refused');
      }
    });
  },
};
