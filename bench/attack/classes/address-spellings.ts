import { seedApiKey, seedOrder, seedShop } from '../../../test/support/seed';
import type { Attack } from '../attack';
import type { Random } from '../../../test/support/random';

const atSigns = [
  '@', '＠', '﹫', '%40', '%2540', '&#64;', '&#064;', '&#x40;', '&#X0040;', '&commat;', ' @ ', '\u00a0@\u00a0', '\u2003@\u2003', '\t@\n', '   @   ',
  '(work)@', '@(home)', ' (a comment) @ (another) ', '\u200b@\u200b', '＠ ', '\u3000＠\u3000',
]; // prettier-ignore
const dots = ['.', '.', '。', '．', '｡', '․', '&#46;', '&period;', '%2e'];
const wrappings = [
  (address: string) => address,
  (address: string) => `<${address}>`,
  (address: string) => `mailto:${address}?subject=a`,
  (address: string) => `Zoë (${address})`,
  (address: string) => `"${address}"`,
  (address: string) => `${address},${address}`,
  (address: string) => `see:${address};`,
];

/** Letters that compatibility decomposition turns into ordinary ones. */
const fullWidth = (text: string): string =>
  text.replace(/[a-z]/g, (letter) => String.fromCharCode(letter.charCodeAt(0) + 0xfee0));

/** An address whose local part can be recognised, in one of many spellings. */
function spell(random: Random, marker: string): string {
  const local = random.pick([marker, `zoe.${marker}`, `${marker}+shop`, `"${marker} m"`]);
  const host = random.pick(['mail', 'ｍａｉｌ', 'post.mail', 'xn--mller-kva']);
  const top = random.pick(['example', fullWidth('example'), 'EXAMPLE']);
  return random.pick(wrappings)(`${local}${random.pick(atSigns)}${host}${random.pick(dots)}${top}`);
}

const columns = ['customer_name', 'order_number', 'external_id', 'financial_status', 'fulfillment_status', 'tags'];
const selection =
  'id externalId orderNumber customerName currency totalPrice financialStatus fulfillmentStatus itemsCount tags createdAt';

export const addressSpellings: Attack = {
  name: 'address-spellings',
  what: 'orders written by SQL with e-mail addresses in odd spellings in every text, read over both surfaces',
  target: 'plain',
  async run(scene) {
    const { attacker, random, sql, fail, isShort } = scene;
    const shopId = await seedShop(sql);
    const { apiKey } = await seedApiKey(sql, shopId);
    const written = new Map<string, { readonly column: string; readonly spelling: string }>();
    let serial = 0;
    const rounds = isShort ? 40 : 150;
    for (let round = 0; round < rounds; round++) {
      for (const column of columns) {
        const marker = `leak${random.word(5)}${serial++}z`;
        const spelling = spell(random, marker);
        written.set(marker, { column, spelling });
        await seedOrder(sql, shopId, { [column]: column === 'tags' ? ['gift', spelling] : spelling });
      }
    }
    const texts: string[] = [];
    for (let path: string | undefined = '/v1/orders?limit=200'; path !== undefined;) {
      const { text } = await attacker.send({ path, apiKey });
      texts.push(text);
      const cursor = /"next_cursor":"([^"]+)"/.exec(text)?.[1];
      path = cursor === undefined ? undefined : `/v1/orders?limit=200&cursor=${cursor}`;
    }
    for (let after = ''; ;) {
      const { text } = await attacker.graphql(
        `{ orders(first: 200${after}) { nodes { ${selection} } pageInfo { hasNextPage endCursor } } }`,
        { apiKey },
      );
      texts.push(text);
      if (!text.includes('"hasNextPage":true')) break;
      after = `, after: "${/"endCursor":"([^"]+)"/.exec(text)?.[1]}"`;
    }
    const all = texts.join('\n');
    // So that empty pages do not pass for pages without addresses.
    const orders = all.match(/"external_?[iI]d":/g)?.length ?? 0;
    if (orders !== 2 * written.size) fail(`${orders} orders read instead of ${2 * written.size}`);
    const leaked = new Set([...all.matchAll(/leak[a-z]{5}\d+z/g)].map(([marker]) => marker));
    for (const marker of leaked) {
      const { column, spelling } = written.get(marker) as { column: string; spelling: string };
      fail(`an address leaves in ${column}`, JSON.stringify(spelling));
    }
  },
};
