import { families, toText } from '../../../test/graph-limits/support/document-families';
import type { Attack } from '../attack';
import type { Random } from '../../../test/support/random';

const productFields =
  'externalId title handle status vendor productType tags descriptionHtml seoTitle seoDescription imageUrl minPrice totalStock createdAt';
const variantFields = 'id externalId title sku barcode price weight position imageUrl createdAt';

/**
 * A document within the limits that equals no other: up to ten kilobytes long, and with up to a thousand fields,
 * because preparing a field takes many times the memory of its text. It requests products that do not exist, so that
 * only preparing costs anything.
 */
function distinctDocument(random: Random): string {
  const noise = random.word(8);
  const fields = () =>
    productFields
      .split(' ')
      .filter(() => random.chance(0.8))
      .join(' ');
  const roots = random.list(
    random.pick([1, 10, 20]),
    (i) => `p${i}: product(id: "${noise}") { id ${fields()} variants { ${variantFields} } }`,
  );
  const body = roots.join(' ');
  return random.pick([
    () => `# ${noise} ${'.'.repeat(4_000)}\n{ ${body} }`,
    () => `{ ${body} }${' '.repeat(random.integer(1, 4_000))}# ${noise}`,
    () => `query ${noise} { ${body} }`,
    () => `{ ${body} ${noise}: __typename }`,
    () => `query ($${noise}: Int = 1) { ${body} products(first: $${noise}) { nodes { id ${fields()} } } }`,
    () => `{ ...F${noise} } fragment F${noise} on Query { ${body} }`,
  ])();
}

/** Sends each twice, because documents are cached only from the second time on. */
export const distinctDocuments: Attack = {
  name: 'distinct-documents',
  what: 'distinct documents of up to 10 kB, each sent twice',
  seconds: { full: 15, short: 4 },
  async run({ attacker, random, shop }) {
    const { apiKey } = await shop.createKey();
    await attacker.flood(8, async () => {
      const document = distinctDocument(random);
      await attacker.graphql(document, { apiKey });
      await attacker.graphql(document, { apiKey });
    });
  },
};

/** From a handful of repetitions to more than a body may contain. */
const sizes = [5, 20, 60, 250, 900];
const texts = Object.values(families).map((family) => (n: number) => toText(family(n)));

export const hostileDocuments: Attack = {
  name: 'hostile-documents',
  what: 'documents with repetitions, nesting, typos or cycles, within and beyond the limits, with and without a credential',
  seconds: { full: 30, short: 3 },
  async run({ attacker, random, shop }) {
    const { apiKey } = await shop.createKey();
    await attacker.flood(4, async () => {
      const document = random.pick(texts)(random.pick(sizes));
      await attacker.graphql(document.slice(0, 400_000), random.chance(0.8) ? { apiKey } : {});
    });
  },
};
