import type { Attack } from '../attack';
import type { Random } from '../../../test/support/random';

/** Bodies of POST /graphql that are not ordinary requests, as text: some of them no serializer would write. */
function hostileBody(random: Random): string {
  const depth = random.pick([10, 500, 5_000, 100_000]);
  const count = random.pick([50, 1_000, 20_000]);
  const deep = random.pick([
    () => '['.repeat(depth) + ']'.repeat(depth),
    () => '{"a":'.repeat(depth) + '1' + '}'.repeat(depth),
  ]);
  const document =
    '"query ($f: ProductFilter, $ids: [ID!]) { products(first: 1, filter: $f) { nodes { id } } nodes(ids: $ids) { id } }"';
  const withVariables = (variables: string) => `{"query":${document},"variables":${variables}}`;
  return random.pick([
    () => withVariables(deep()),
    () => withVariables(`{"f":${deep()}}`),
    () => withVariables(`{"f":{"tagsAny":${deep()}}}`),
    () => withVariables(`{"ids":[${random.list(count, () => `"${random.word(6)}"`).join()}]}`),
    () => withVariables(`{"ids":[${'1e999,'.repeat(count)}1]}`),
    () => withVariables(`{${random.list(count, (i) => `"v${i}":${i}`).join()}}`),
    () => withVariables(`{"f":{${random.list(count, (i) => `"${random.word(5)}${i}":${i}`).join()}}}`),
    () => withVariables(`{"f":{"query":"${random.word(1).repeat(count * 5)}"}}`),
    () => withVariables(`{"f":{"query":"${'\\u0130'.repeat(count)}"}}`),
    () => withVariables(`{"f":{"query":"${random.pick(['\\ud800', '\\u0000', '%', '\\\\', '\\ud83d\\ude00'])}"}}`),
    () => withVariables(`{"f":{"price":{"min":${random.pick(['1e400', '-0', '0x10', '"1e400"', '"NaN"', '[]'])}}}}`),
    () => withVariables('{"__proto__":{"f":1},"constructor":{"prototype":{"f":1}}}'),
    () => `[${`{"query":${document}},`.repeat(count / 50)}{"query":${document}}]`,
    () => `{"query":${document},"extensions":${deep()}}`,
    () => `{"query":${random.pick([deep(), '1', 'null', '{}', '["{shop{id}}"]', 'true', '""'])}}`,
    () => `{"query":${document},"operationName":${random.pick([deep(), '1', '""', '"nobody"', '"__proto__"', '{}'])}}`,
    () => `${' '.repeat(count)}{"query":${document}}`,
    () => deep(),
    () => `{"query":${document}`.repeat(count / 50),
    () => random.word(count),
  ])();
}

export const requestBodies: Attack = {
  name: 'request-bodies',
  what: 'JSON that is deep, wide, long, of other types or cut off, as body and as variables',
  target: 'plain',
  async run({ attacker, random, shop }) {
    const { apiKey } = await shop.createKey();
    await attacker.flood(4, () =>
      attacker.send({
        path: '/graphql',
        method: 'POST',
        apiKey,
        headers: {
          'Content-Type': random.pick([
            ...Array<string>(8).fill('application/json'),
            'application/json; charset=utf-16',
            'application/json; charset=nonsense',
            'text/plain',
            'application/x-www-form-urlencoded',
          ]),
        },
        body: hostileBody(random),
      }),
    );
  },
};

/** Targets below /v1 that are long, repeated, badly encoded or nearly right. */
function hostileTarget(random: Random): string {
  const length = random.pick([10, 500, 7_000]);
  const name = random.pick(['q', 'vendor', 'tag', 'cursor', 'limit', 'status', 'product_type', random.word(3)]);
  const value = random.pick([
    () => random.word(length),
    () => '%25'.repeat(length / 3),
    () => encodeURIComponent(random.pick(['\u0130', 'ß', 'Σ', '﷽', '\u0301']).repeat(length / 10)),
    () => random.pick(['%00', '%E0%A4%A', '%', '%ff', '%u0041', '+', "'%20OR%201=1--", '__proto__']),
    () => random.pick(['0', '201', '-1', '1e2', '%D9%A3', '1'.repeat(length)]),
    () => `AX${random.word(length)}`,
  ]);
  const list = random.pick(['products', 'orders', 'collections', 'shop', `products/${random.word(36)}`]);
  return random.pick([
    () => `/v1/${list}?${name}=${value()}`,
    () => `/v1/${list}?${random.list(length / 5, (i) => `a${i}=1`).join('&')}`,
    () => `/v1/${list}?${`${name}=${value().slice(0, 10)}&`.repeat(20)}`,
    () => `/v1/${list}?${'&'.repeat(length)}`,
    () => `/v1/${value()}`,
    () => `/v1${'/..'.repeat(length / 3)}/shop`,
    () => `//v1/${list}`,
  ])();
}

export const requestTargets: Attack = {
  name: 'request-targets',
  what: 'REST targets and headers that are long, repeated, badly encoded or nearly right',
  target: 'plain',
  async run({ attacker, random, shop }) {
    const { apiKey } = await shop.createKey();
    await attacker.flood(4, () =>
      attacker.send({
        path: hostileTarget(random),
        apiKey,
        headers: random.pick<Record<string, string>>([
          {},
          { 'If-None-Match': random.pick(['*', 'W/'.repeat(2_000), '"a",'.repeat(2_000), '"'.repeat(5_000)]) },
          { 'Accept-Encoding': 'gzip;q=0.1,'.repeat(random.integer(1, 500)) },
          { Accept: 'a/b;q=0.5,'.repeat(random.integer(1, 500)) },
        ]),
      }),
    );
  },
};
