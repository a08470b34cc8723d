import type { Attack } from '../attack';
import type { Random } from '../../../test/support/random';

/** Near the cost limit, and never cached: searches, sorted pages, counts and variants. */
function heavyOperation(random: Random): string {
  const sort = () => random.pick(['TITLE', 'PRICE', 'STOCK', 'UPDATED_AT']);
  const pages = random.list(3, (i) => {
    const filter = random.pick([
      `query: "${random.word(1)}${random.integer(0, 9)}"`,
      `query: "${random.word(3)}"`,
      `tagsAny: ["t${random.integer(0, 19)}", "t${random.integer(0, 19)}", "clay"]`,
      `price: { min: "${random.integer(1, 20)}.${random.integer(10, 99)}" }`,
      `totalStock: { min: ${random.integer(-9, 3)} }`,
    ]);
    return `p${i}: products(first: 200, sortKey: ${sort()}, reverse: ${random.chance(0.5)}, filter: { ${filter} }) {
      totalCount nodes { id title descriptionHtml variants { id price } } }`;
  });
  return `{ ${pages.join(' ')} orders(last: 200, filter: { tagsAny: ["t${random.integer(0, 19)}"] }) { totalCount nodes { id tags } } }`;
}

export const heavyOperations: Attack = {
  name: 'heavy-operations',
  what: 'allowed operations near the cost limit, a hundred at a time by one key, repeatedly',
  seconds: { full: 12, short: 4 },
  p95BoundMilliseconds: 1_300,
  async run({ attacker, random, shop }) {
    const { apiKey } = await shop.createKey();
    await attacker.flood(100, () => attacker.graphql(heavyOperation(random), { apiKey }), 2_500);
  },
};

export const abandonedOperations: Attack = {
  name: 'abandoned-operations',
  what: 'the same over connections that are reset immediately, so that no client waits for the responses',
  p95BoundMilliseconds: 1_300,
  async run({ attacker, random, shop }) {
    const { apiKey } = await shop.createKey();
    await attacker.flood(50, async () => {
      const socket = attacker.open();
      const body = JSON.stringify({ query: heavyOperation(random) });
      attacker.write(
        socket,
        `POST /graphql HTTP/1.1\r\nHost: a\r\nAuthorization: Bearer ${apiKey}\r\nContent-Type: application/json\r\n` +
          `Content-Length: ${Buffer.byteLength(body)}\r\n\r\n${body}`,
      );
      await new Promise((resolve) => setTimeout(resolve, random.integer(5, 200)));
      socket.resetAndDestroy();
    });
  },
};
