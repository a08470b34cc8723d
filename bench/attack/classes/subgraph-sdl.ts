import { isDeepStrictEqual } from 'node:util';
import { setTimeout as delay } from 'node:timers/promises';
import { parse } from '../../../test/support/check-answer';
import type { Attack } from '../attack';
import { honestSdl } from '../hostile-subgraph';
import type { Random } from '../../../test/support/random';
import { hostileShapes, importedDirectives } from '../../../test/federation/support/hostile-sdl';
import { untilJoined } from './subgraph-answers';

interface HostileSdl {
  readonly name: string;
  make(random: Random): unknown;
}

/** Replaces the honest Product. */
const productAs = (definition: string): string => honestSdl.replace(/type Product @key[^}]*\}/, definition);
const plus = (more: string): string => `${honestSdl}\n${more}`;

const importing = honestSdl.replace(/import: \[.*\]/, `import: ${JSON.stringify(importedDirectives)}`);

/** The most harmful first: a short run gets no further. */
const sdls: readonly HostileSdl[] = [
  { name: 'implements, forty thousand times', make: () => plus(`type A ${'implements '.repeat(40_000)}`) },
  { name: 'interfaces without a brace', make: () => plus(`type A implements ${'B & '.repeat(40_000)}`) },
  { name: 'ten thousand types', make: (random) => plus(random.list(10_000, (i) => `type T${i} { a: T${(i * 7) % 10_000} b: Int }`).join('\n')) },
  {
    name: 'a field of the catalog taken over',
    make: (random) =>
      random.pick([
        productAs('type Product @key(fields: "id") { id: ID! title: String! @override(from: "catalog") score: Int label: String notes: [Note!] }'),
        productAs('type Product @key(fields: "id") { id: ID! minPrice: String @override(from: "catalog") score: Int label: String notes: [Note!] }'),
        productAs('type Product @key(fields: "id") { id: ID! title: String! @shareable score: Int label: String notes: [Note!] }'),
        plus('extend type Query { shop: Shop @override(from: "catalog") } type Shop @key(fields: "id") { id: ID! name: String @override(from: "catalog") }'),
        plus('enum ProductStatus { ACTIVE STOLEN }'),
        plus('type Variant @key(fields: "id") { id: ID! price: String @override(from: "catalog") }'),
      ]),
  },
  { name: 'deep types', make: (random) => { const depth = random.integer(1_000, 100_000); return plus(`type A { a: ${'['.repeat(depth)}Int${']'.repeat(depth)} }`); } },
  { name: 'deep values', make: (random) => { const depth = random.integer(1_000, 100_000); return plus(`directive @d(a: Int) on OBJECT type A @d(a: ${'['.repeat(depth)}1${']'.repeat(depth)}) { a: Int }`); } },
  { name: 'two hundred thousand fields', make: (random) => plus(`type A { ${random.list(200_000, (i) => `f${i}: Int`).join(' ')} }`) },
  { name: 'interfaces of each other', make: (random) => plus(random.list(400, (i) => `interface I${i} ${i === 0 ? '' : `implements ${random.list(i, (j) => `I${j}`).join(' & ')}`} { a: Int }`).join('\n')) },
  { name: 'fields of a product in the thousands', make: (random) => productAs(`type Product @key(fields: "id") { id: ID! score: Int label: String notes: [Note!] ${random.list(5_000, (i) => `f${i}: Int`).join(' ')} }`) },
  { name: 'keys beyond number', make: (random) => productAs(`type Product @key(fields: "id") ${random.list(2_000, (i) => `@key(fields: "id k${i}")`).join(' ')} { id: ID! score: Int label: String notes: [Note!] ${random.list(2_000, (i) => `k${i}: Int`).join(' ')} }`) },
  { name: 'a key without an end', make: (random) => productAs(`type Product @key(fields: "${random.pick(['{', 'id ', 'notes { author { friend ', '...'])}${'{ a '.repeat(20_000)}") { id: ID! score: Int label: String notes: [Note!] }`) },
  { name: 'a union and an enum of thousands', make: (random) => plus(`${random.list(3_000, (i) => `type U${i} { a: Int }`).join(' ')} union U = ${random.list(3_000, (i) => `U${i}`).join(' | ')} enum E { ${random.list(20_000, (i) => `E${i}`).join(' ')} }`) },
  { name: 'inputs in circles', make: (random) => plus(random.list(2_000, (i) => `input I${i} { a: I${(i + 1) % 2_000}! }`).join(' ')) },
  { name: 'comments and descriptions of megabytes', make: () => `${'#\n'.repeat(1_000_000)}${honestSdl} """${'a'.repeat(2_000_000)}""" type A { a: Int }` },
  { name: 'names of a hundred kilobytes', make: (random) => plus(`type ${random.word(1).repeat(100_000)} { ${random.word(1).repeat(100_000)}: Int }`) },
  { name: 'more than eight megabytes', make: () => ' '.repeat(9_000_000) + honestSdl },
  { name: 'no text', make: (random) => random.pick<unknown>([1, null, {}, [], true, '', '{', '"""', '\0', 'query { a }', '{ shop { id } }']) },
  { name: 'other features', make: (random) => plus(`extend schema @link(url: "${random.pick(['https://specs.apollo.dev/federation/v9.9', 'http://127.0.0.1:1/evil/v1.0', 'x', ''])}") ${random.list(500, (i) => `@link(url: "https://a.example/f${i}/v1.0")`).join(' ')}`) },
  { name: 'what no tongue writes', make: (random) => { const at = random.integer(0, honestSdl.length - 1); return honestSdl.slice(0, at) + random.pick(['{', '}', '"', '@', '\u0000', '(', '!', '&', random.word(3)]) + honestSdl.slice(at + random.integer(0, 9)); } },
  ...hostileShapes.flatMap(({ name, make }) => [1, 0.3].map((size): HostileSdl => ({ name: `${name} (${size})`, make: (random) => `${importing}\n${make(random, size)}` }))),
]; // prettier-ignore

/** The number of these in a short run. */
const shortCount = 5;
/** The subgraph is polled every second. */
const pollMilliseconds = { full: 2_200, short: 1_500 };

/** A composition has 20 s of CPU time, on a machine that is busy with the attack; until it ends nothing is polled. */
const compositionSeconds = 60;
const slowSeconds = 5;

export const subgraphSdl: Attack = {
  name: 'subgraph-sdl',
  what: 'a subgraph whose SDL is long, deep, wide, broken, or takes fields of the catalog over',
  target: 'federated',
  seconds: { full: 300, short: 30 },
  async run(scene) {
    const { attacker, shop, random, isShort, fail, note, service } = scene;
    const subgraph = scene.subgraph();
    const { apiKey } = await shop.createKey();
    await untilJoined(scene, apiKey);
    const rows = await readProducts();
    let sent = 0;
    for (const { name, make } of isShort ? sdls.slice(0, shortCount) : sdls) {
      if (service.child.exitCode !== null) break;
      const sdl = make(random);
      attacker.cost.bytesSent += typeof sdl === 'string' ? sdl.length : 0;
      const before = subgraph.asked.sdl;
      subgraph.sdl = sdl;
      sent++;
      await delay(pollMilliseconds[isShort ? 'short' : 'full']);
      const changedAt = performance.now();
      const waited = () => (performance.now() - changedAt) / 1000;
      while (subgraph.asked.sdl === before && waited() < compositionSeconds) await delay(100);
      if (waited() > slowSeconds) note(`composed for ${Math.round(waited())} s: ${name}`);
      if (subgraph.asked.sdl === before) fail('the subgraph is no longer asked for its SDL', name);
      if (!isDeepStrictEqual(await readProducts(), rows)) fail("the catalog's own fields are lost or changed", name);
    }
    note(`${sent} of ${sdls.length} kinds of SDL`);
    subgraph.sdl = honestSdl;

    async function readProducts(): Promise<unknown> {
      const { text } = await attacker.graphql(
        '{ shop { name } products(first: 3) { nodes { id title minPrice status variants { price } } } }',
        { apiKey },
      );
      const body = parse(text) as { data?: { products?: unknown }; errors?: unknown } | undefined;
      return { ...body?.data, errors: body?.errors };
    }
  },
  async verdict(scene) {
    const { apiKey } = await scene.shop.createKey();
    await untilJoined(scene, apiKey);
  },
};
