import { maximumAnswerBytes } from '../../../src/catalog/answer-size';
import type { Attack, Scene } from '../attack';

/** Writes texts as long as the database accepts. @returns how long that is */
async function writeLongTexts({ sql, shop, random }: Scene, totalMegabytes: number): Promise<number> {
  const sizes = [16, 4, 1, 0.25].map((megabytes) => megabytes * 1024 * 1024);
  // Random, so that PostgreSQL hardly compresses it.
  const noise = random.word(1024 * 512);
  for (const size of sizes) {
    try {
      await sql(
        `UPDATE products SET description_html = left(repeat($2, 40), $3::int) WHERE shop_id = $1 AND id IN
         (SELECT id FROM products WHERE shop_id = $1 ORDER BY created_at, id LIMIT $4::int)`,
        [shop.shopId, noise, size, Math.ceil((totalMegabytes * 1024 * 1024) / size)],
      );
      return size;
    } catch {
      // Too long for the column, as it should be.
    }
  }
  return 0;
}

export const largeAnswers: Attack = {
  name: 'large-answers',
  what: 'a shop with texts of the maximum length, read in the longest pages by several connections',
  seconds: { full: 12, short: 4 },
  async prepare(scene) {
    const size = await writeLongTexts(scene, scene.isShort ? 16 : 48);
    scene.note(`the database accepts texts of ${size / 1024} kB`);
  },
  async run(scene) {
    const { attacker, shop, random, fail, note, sql } = scene;
    const { apiKey } = await shop.createKey();
    let longest = 0;
    let refused = 0;
    const readPage = async (limit: number, headers: Readonly<Record<string, string>> = {}) => {
      const answer = await attacker.send({ path: `/v1/products?limit=${limit}`, apiKey, headers });
      if (answer.status === 400) refused += 1;
      return answer;
    };
    await attacker.flood(8, async () => {
      const { bytes } = await random.pick([
        () => readPage(random.integer(20, 200)),
        () => readPage(random.integer(4, 7)),
        () =>
          attacker.graphql(`{ products(first: ${random.integer(4, 7)}) { nodes { id descriptionHtml } } }`, {
            apiKey,
          }),
        () =>
          attacker.graphql(
            `{ products(first: ${random.integer(4, 7)}) { nodes { descriptionHtml variants { id } } } }`,
            { apiKey },
          ),
        () => readPage(200, { 'Accept-Encoding': 'gzip, br' }),
        () =>
          attacker.graphql(`{ products(first: ${random.integer(20, 200)}) { nodes { id descriptionHtml } } }`, {
            apiKey,
          }),
        () =>
          attacker.graphql(
            '{ a: products(first: 60) { nodes { descriptionHtml } } b: products(first: 60) { nodes { descriptionHtml seoTitle } } }',
            { apiKey },
          ),
        () =>
          attacker.graphql(
            `{ ${random.list(8, (i) => `a${i}: products(first: 40) { nodes { t${i}: descriptionHtml } }`).join(' ')} }`,
            { apiKey },
          ),
      ])();
      longest = Math.max(longest, bytes);
    });
    note(`the longest response was ${(longest / 1_000_000).toFixed(1)} MB`);
    if (longest > maximumAnswerBytes) fail(`a response of more than ${maximumAnswerBytes} bytes`);
    if (refused > 0) fail(`valid pages rejected: ${refused}`);
    await sql(
      `UPDATE products SET description_html = 'A vase.' WHERE shop_id = $1 AND length(description_html) > 10000`,
      [shop.shopId],
    );
  },
};
