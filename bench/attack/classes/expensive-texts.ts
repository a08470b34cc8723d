import type { Attack } from '../attack';

/** What the search for e-mail addresses has most to do for, each repeated until a column is full. */
const pieces = [
  '%F0%9F%98%80',
  '@',
  '⑽',
  '@@@@@@@@@@@@@@@@\\"',
  'a @ é.é',
  'a@b.example ',
  '&#x40e',
  '\\u0040',
  '(@)',
  '%25',
  '&amp;',
  '＠',
];

/** An order has 32 tags of 2,000 bytes, and a name and a number of 10,000. */
const fill = (piece: string, bytes: number): string => piece.repeat(Math.floor(bytes / Buffer.byteLength(piece)));

export const dearTexts: Attack = {
  name: 'expensive-texts',
  what: 'a shop whose orders have the texts that take longest to search for e-mail addresses, read by its own key',
  target: 'plain',
  seconds: { full: 12, short: 4 },
  async prepare({ sql, shop }) {
    for (const [index, piece] of pieces.entries()) {
      await sql(
        `UPDATE orders SET tags = array_fill($2::text, ARRAY[32]), customer_name = $3, order_number = $3 WHERE id IN
         (SELECT id FROM orders WHERE shop_id = $1 ORDER BY created_at, id LIMIT 12 OFFSET $4::int)`,
        [shop.shopId, fill(piece, 1_990), fill(piece, 9_990), 12 * index],
      );
    }
  },
  async run({ attacker, shop, random, fail }) {
    const { apiKey } = await shop.createKey();
    const members = 'externalId orderNumber customerName financialStatus tags';
    await attacker.flood(8, async () => {
      const { text } = await random.pick([
        () => attacker.send({ path: `/v1/orders?limit=${random.integer(10, 60)}`, apiKey }),
        () => attacker.graphql(`{ orders(first: ${random.integer(10, 60)}) { nodes { ${members} } } }`, { apiKey }),
        () =>
          attacker.graphql(`{ orders(first: ${random.integer(10, 60)}) { edges { node { ${members} } } } }`, {
            apiKey,
          }),
        () =>
          attacker.graphql(
            `{ changes(first: 100, types: [ORDER]) { nodes { node { ... on Order { ${members} } } } } }`,
            { apiKey },
          ),
      ])();
      if (text.includes('a@b.example')) fail('an e-mail address', text.slice(0, 200));
    });
  },
};
