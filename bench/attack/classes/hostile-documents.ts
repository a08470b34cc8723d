import type { Attack, Scene } from '../attack';
import type { Random } from '../../../test/support/random';

/** A generator of documents that are expensive to process. */
type Generator = (random: Random) => string;

/** Approximate numbers of tokens: within the limits, at the parser's bound, and far beyond. */
const sizes = [100, 400, 1_300, 3_800, 20_000];

const leaves = ['id', 'title', 'handle', 'vendor', 'tags', 'minPrice', 'updatedAt'];

/** Response names that occur several times in a selection: validation must compare every pair of them. */
const repeatedNames: Generator = (random) => {
  const size = random.pick(sizes);
  const leaf = () => random.pick(leaves);
  const roots = random.integer(2, 20);
  const alias = random.word(3);
  return random.pick([
    () => `{ products { nodes { ${`${leaf()} `.repeat(size)} } } }`,
    () => `{ ${`products { nodes { ${'id '.repeat(size / roots)} } } `.repeat(roots)} }`,
    () => `{ products { nodes { ${`${alias}: ${leaf()} `.repeat(size / 3)} } } }`,
    () => `{ products { nodes { ${`... on Product { ${leaf()} ${leaf()} } `.repeat(size / 7)} } } }`,
    () => `{ products { nodes { ${'variantConnection(first: 1) { nodes { id } } '.repeat(size / 12)} } } }`,
    () => `{ products { nodes { ${nested(random.integer(2, 4), random.integer(2, 7))} } } }`,
    () => `{ products { nodes { ${'...F '.repeat(size / 4)} } } } fragment F on Product { ${'id '.repeat(size / 2)} }`,
    () => `{ ${'__typename '.repeat(size)} }`,
  ])();
};

/** That many copies of itself, level by level. */
const nested = (copies: number, depth: number): string =>
  depth === 0 ? 'id ' : `variants { id product { ${nested(copies, depth - 1)} } } `.repeat(copies);

/** Fragments that are exponential when written out, form circles, or overlap. */
const fragments: Generator = (random) => {
  const count = random.pick([5, 20, 60, 250, 900]);
  const copies = random.integer(2, 3);
  const chain = (body: (next: string) => string, last: string) =>
    `{ products { nodes { ...F0 } } } ${random
      .list(count, (i) => `fragment F${i} on Product { ${body(`...F${i + 1} `)} }`)
      .join(' ')} fragment F${count} on Product { ${last} }`;
  return random.pick([
    () => chain((next) => next.repeat(copies), 'id'),
    () => chain((next) => `variants { product { ${next.repeat(copies)} } }`, 'id'),
    () => chain((next) => `id ${next}`, '...F0'),
    () => chain((next) => `... on Product { ${next} } ... on Node { id }`, 'title'),
    () => chain((next) => `a: variants { product { ${next} } } b: variants { product { ${next} } }`, '...F0'),
    () =>
      `{ products { nodes { ${random.list(count, (i) => `...F${i}`).join(' ')} } } } ${random
        .list(count, (i) => `fragment F${i} on Product { ${random.list(6, () => random.pick(leaves)).join(' ')} }`)
        .join(' ')}`,
    // None is used, and each spreads all others.
    () =>
      `{ shop { id } } ${random
        .list(
          Math.min(count, 60),
          (i) =>
            `fragment F${i} on Product { ${random.list(Math.min(count, 60), (j) => `...F${(i + j) % count}`).join(' ')} }`,
        )
        .join(' ')}`,
  ])();
};

/** Nested selections, lists, objects and types; also unterminated ones. */
const deepDocuments: Generator = (random) => {
  const depth = random.pick([10, 100, 900, 3_000, 60_000]);
  const around = (open: string, inner: string, close: string) => open.repeat(depth) + inner + close.repeat(depth);
  return random.pick([
    () => `{ products { nodes { ${around('variants { product { ', 'id', '} }')} } } }`,
    () => `{ products { nodes { ${around('... on Product { ', 'id', '}')} } } }`,
    () => `{ ${around('... { ', '__typename', '}')} }`,
    () => `{ products(filter: { tagsAny: ${around('[', '"a"', ']')} }) { nodes { id } } }`,
    () => `{ products(filter: ${around('{ createdAt: ', 'null', '}')}) { nodes { id } } }`,
    () => `query ($v: ${around('[', 'Int', ']')}) { products(first: $v) { nodes { id } } }`,
    () => `query ($v: [Int] = ${around('[', '1', ']')}) { products(first: 1) { nodes { id } } }`,
    () => '{'.repeat(depth),
    () => `{ products(filter: ${'{ createdAt: '.repeat(depth)}`,
  ])();
};

const crowdedDocuments: Generator = (random) => {
  const size = random.pick(sizes);
  const name = random.word(4);
  return random.pick([
    () => `{ shop { id ${'@skip(if: false) '.repeat(size / 6)} } }`,
    () => `query ($v: Boolean!) { shop { ${'id @include(if: $v) '.repeat(size / 7)} } }`,
    () => `{ shop { ${`id @${name} `.repeat(size / 3)} } }`,
    () => `query (${random.list(size / 4, (i) => `$${name}${i}: Int`).join(' ')}) { shop { id } }`,
    () => `query (${`$${name}: Int `.repeat(size / 4)}) { shop { id } }`,
    () => `query ($v: [Int] = [${'1 '.repeat(size)}]) { products(first: $v) { nodes { id } } }`,
    () => random.list(size / 5, (i) => `query Q${i} { shop { id } }`).join(' '),
    () => `query Q { shop { id } } `.repeat(size / 7),
    () => `{ shop { id } } `.repeat(size / 5),
    () => `{ products(${'first: 1 '.repeat(size / 3)}) { nodes { id } } }`,
    () => `{ products(filter: { ${'vendor: "a" '.repeat(size / 3)} }) { nodes { id } } }`,
    () => `{ products(filter: { ${random.list(size / 3, (i) => `${name}${i}: 1`).join(' ')} }) { nodes { id } } }`,
    () => `{ products(filter: { tagsAny: [${'1 '.repeat(size)}] }) { nodes { id } } }`,
    () => `{ products(filter: { statusIn: [${'ACTIV '.repeat(size)}] }) { nodes { id } } }`,
    () => `{ nodes(ids: [${random.list(size, () => `"${random.word(8)}"`).join(' ')}]) { id } }`,
    () => `{ ${random.list(size / 8, (i) => `${name}${i}: product(id: "${i}") { id }`).join(' ')} }`,
    () => `type ${name} { ${random.list(size / 4, (i) => `f${i}: Int`).join(' ')} } { shop { id } }`,
  ])();
};

/** Unknown names, close to existing ones: a server that makes suggestions compares them all. */
const misspelledNames: Generator = (random) => {
  const size = random.pick([20, 200, 900]);
  const length = random.pick([5, 12, 60, 2_000]);
  const wrong = () => `${random.pick(['produc', 'variantC', 'descriptionHtm', 'totalStoc'])}${random.word(length)}`;
  return random.pick([
    () => `{ products { nodes { ${random.list(size, wrong).join(' ')} } } }`,
    () => `{ products(${random.list(size, () => `${wrong()}: 1`).join(' ')}) { nodes { id } } }`,
    () => `{ products(filter: { ${random.list(size, () => `${wrong()}: 1`).join(' ')} }) { nodes { id } } }`,
    () => `{ shop { ${random.list(size, () => `... on ${wrong()} { id }`).join(' ')} } }`,
    () => `query (${random.list(size, (i) => `$v${i}: ${wrong()}`).join(' ')}) { shop { id } }`,
    () => `{ products(sortKey: ${wrong()}) { nodes { ${random.list(size, () => `...${wrong()}`).join(' ')} } } }`,
  ])();
};

/** Texts that are mostly not tokens, and tokens that are mostly text. */
const bulkyTexts: Generator = (random) => {
  const length = random.pick([1_000, 30_000, 240_000]);
  return random.pick([
    () => `${'#\n'.repeat(length / 2)}{ shop { id } }`,
    () => `{ shop { id } }${','.repeat(length)}`,
    () => `{ products(filter: { vendor: "${'\\n'.repeat(length / 2)}" }) { nodes { id } } }`,
    () => `{ products(filter: { vendor: """${' \n'.repeat(length / 2)}""" }) { nodes { id } } }`,
    () => `{ products(filter: { vendor: "${random.word(1).repeat(length)}" }) { nodes { id } } }`,
    () => `{ ${random.word(1).repeat(length)} }`,
    () => `{ products(first: ${'9'.repeat(length)}) { nodes { id } } }`,
    () => `{ products(filter: { totalStock: { min: 1e${'9'.repeat(length)} } }) { nodes { id } } }`,
    () => `{ products(filter: { price: { min: "${'9'.repeat(length)}" } }) { nodes { id } } }`,
    () => `{ shop { id } } ${'\ufeff'.repeat(length / 3)}`,
    () => `query ${random.word(1).repeat(length)} { shop { id } }`,
  ])();
};

const sendDocuments =
  (generate: Generator) =>
  async ({ attacker, random, shop }: Scene): Promise<void> => {
    const { apiKey } = await shop.createKey();
    await attacker.flood(4, () => attacker.graphql(generate(random), { apiKey }));
  };

/** Outside production introspection needs no credential. */
const introspection: Generator = (random) => {
  const size = random.pick(sizes);
  const fields = ['name', 'description', 'kind', 'specifiedByURL'];
  const type = (inner: string) => `{ __schema { types { ${inner} } } }`;
  return random.pick([
    () => type(`${random.pick(fields)} `.repeat(size)),
    () => type(`${random.word(2)}: name `.repeat(size / 3)),
    () => type(`fields { args { type { ${'ofType { '.repeat(30)} name ${'}'.repeat(30)} } } } `.repeat(size / 80)),
    () => type(`fields { name ${'type { fields { name '.repeat(6)} ${'} }'.repeat(6)} }`),
    () => type(`${'possibleTypes { interfaces { '.repeat(5)} name ${'} }'.repeat(5)}`),
    () =>
      `{ ${random.list(Math.min(size / 4, 200), (i) => `a${i}: __schema { types { fields { name description } } }`).join(' ')} }`,
    () => `{ ${'__schema { types { name name name } } '.repeat(size / 9)} }`,
    () => `{ ${random.list(size / 9, (i) => `t${i}: __type(name: "Product") { name }`).join(' ')} }`,
    () => `{ ${random.list(size / 9, () => `__type(name: "${random.word(4)}") { name }`).join(' ')} }`,
    () =>
      `{ __schema { types { ...F0 } } } ${random.list(40, (i) => `fragment F${i} on __Type { name ...F${i + 1} ...F${i + 1} }`).join(' ')} fragment F40 on __Type { name }`,
  ])();
};

export const documentAttacks: readonly Attack[] = [
  { name: 'repeated-names', what: 'documents whose selections repeat response names', generate: repeatedNames },
  { name: 'fragments', what: 'fragments that are exponential, circular or overlap', generate: fragments },
  {
    name: 'deep-documents',
    what: 'selections, lists, objects and types nested up to 60,000 times',
    generate: deepDocuments,
  },
  {
    name: 'crowded-documents',
    what: 'directives, variables, operations, arguments, literals by the thousand',
    generate: crowdedDocuments,
  },
  { name: 'misspelled-names', what: 'unknown names that are almost right', generate: misspelledNames },
  { name: 'bulky-texts', what: 'comments, texts, numbers and names of up to 240 kB', generate: bulkyTexts },
].map(({ name, what, generate }): Attack => ({ name, what, target: 'plain', run: sendDocuments(generate) }));

export const introspectionAttack: Attack = {
  name: 'introspection',
  what: 'wide, deep and repeated introspection without a credential',
  target: 'plain',
  run: ({ attacker, random }) => attacker.flood(4, () => attacker.graphql(introspection(random))),
};
