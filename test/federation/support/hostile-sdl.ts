import type { Random } from '../../support/random';

/** SDL designed to keep a composer busy: part of a document, to follow a `@link` that imports `importedDirectives`. */
type HostileShape = (random: Random) => string;

/** The directives that the shapes use. */
export const importedDirectives = [
  '@key', '@shareable', '@requires', '@provides', '@external', '@override', '@inaccessible', '@interfaceObject', '@composeDirective', '@tag', '@requiresScopes',
  '@authenticated', '@policy', '@extends',
]; // prettier-ignore

export const many = (count: number, make: (index: number) => string, separator = ' '): string =>
  Array.from({ length: Math.max(1, Math.floor(count)) }, (_, index) => make(index)).join(separator);

const intFields = (count: number): string => many(count, (i) => `f${i}: Int`);

/** `a { a { …` closed, left open, or closed too often. */
function nested(random: Random, depth: number): string {
  const closed = random.pick([depth, depth, 0, depth - 1, depth + 1]);
  return `${random.pick(['id ', 'a ', '... on A ', '{ '])}${'{ a '.repeat(depth)}${' }'.repeat(Math.max(0, closed))}`;
}

export const hostileShapes: Readonly<Record<string, HostileShape>> = {
  'deep field sets': (random) => {
    const set = nested(random, random.integer(1, 40_000));
    const one = random.pick([`@key(fields: "${set}")`, `@key(fields: ["${set}"])`, `@key(fields: """${set}""")`]);
    return random.pick([
      `type A ${one} { id: ID! a: A }`,
      `type A @key(fields: "id") { id: ID! a: A @provides(fields: "${set}") }`,
      `type A @key(fields: "id") { id: ID! a: A @external b: Int @requires(fields: "${set}") }`,
      `interface A ${one} { id: ID! a: A }`,
      `extend type Product ${one} { id: ID! a: Product }`,
    ]);
  },
  'long field sets': (random) => {
    const fields = random.integer(1, 12_000);
    const set = random.pick([
      many(fields, (i) => `f${i}`),
      many(fields, () => 'id'),
      many(fields, () => '... on A { id }'),
      many(fields, (i) => `f${i}(a: ${i})`),
      many(fields, () => random.pick(['{', '}', '@', '$', '"', 'id', '#', '...'])).replaceAll('"', '\\"'),
    ]);
    const place = random.pick(['@key(fields: "SET")', '@key(fields: "SET") @key(fields: "id")']).replace('SET', set);
    return `type A ${place} { id: ID! ${intFields(fields)} }`;
  },
  'keys beyond number': (random) => {
    const keys = random.integer(1, 20_000);
    return random.pick([
        `type A ${many(keys, (i) => `@key(fields: "id k${i}")`)} { id: ID! ${many(keys, (i) => `k${i}: Int`)} }`,
        many(keys / 10, (i) => `type A${i} ${many(10, (j) => `@key(fields: "k${j}")`)} { ${many(10, (j) => `k${j}: ID!`)} }`),
        `type A ${many(keys, () => '@key(fields: "id", resolvable: false)')} { id: ID! }`,
        many(keys / 4, (i) => `extend type Product @key(fields: "id k${i}") { k${i}: Int }`, '\n'),
      ]); // prettier-ignore
  },
  'fields that require each other': (random) => {
    const fields = random.integer(1, 3_000);
    const wide = random.integer(1, 400);
    return `type Product @key(fields: "id") { id: ID! title: String! @external ${many(fields, (i) =>
        random.pick([`r${i}: Int @requires(fields: "title")`, `r${i}: Int @requires(fields: "${many(wide, (j) => `r${j}`)}")`, `x${i}: Int @external`]),
      )} }`; // prettier-ignore
  },
  'scopes over many types': (random) => {
    const types = random.integer(1, 200);
    const sets = random.integer(1, 4);
    const directive = random.pick(['requiresScopes(scopes', 'policy(policies']);
    const scopes = (i: number) => `@${directive}: [${many(sets, (j) => `["s${i}x${j}"]`, ',')}])`;
    return random.pick([
      `interface I { a: Int } ${many(types, (i) => `type S${i} implements I { a: Int ${scopes(i)} }`)} extend type Query { i: I }`,
      `type A { ${many(types, (i) => `f${i}: Int ${scopes(i)}`)} } extend type Query { i: A }`,
      `interface I { a: Int } ${many(types, (i) => `type S${i} implements I ${scopes(i)} { a: Int }`)} extend type Query { i: I }`,
    ]);
  },
  'directives beyond number': (random) => {
    const uses = random.integer(1, 40_000);
    return random.pick([
      `type A ${many(uses, (i) => `@tag(name: "t${i}")`)} { a: Int }`,
      many(uses / 10, (i) => `type A${i} ${many(10, (j) => `@tag(name: "t${j}")`)} { a: Int @inaccessible b: Int }`),
      `${many(uses / 2, (i) => `directive @d${i} on OBJECT`)} type A ${many(uses / 2, (i) => `@d${i}`)} { a: Int }`,
      `directive @d(${many(uses / 4, (i) => `a${i}: Int`)}) repeatable on OBJECT type A ${many(uses / 40, (i) => `@d(a${i}: 1)`)} { a: Int }`,
      `extend schema ${many(uses / 10, (i) => `@composeDirective(name: "@d${i}")`)} ${many(uses / 10, (i) => `directive @d${i} on OBJECT`)}`,
      `type A { ${many(uses / 2, (i) => `f${i}: Int @x${i}`)} }`,
    ]);
  },
  'links and imports': (random) => {
    const links = random.integer(1, 10_000);
    return random.pick([
        `extend schema ${many(links, (i) => `@link(url: "https://a.example/f${i}/v1.0", as: "f${i}")`)}`,
        `extend schema @link(url: "https://a.example/f/v1.0", import: [${many(links, (i) => `"@x${i}"`)}])`,
        `extend schema @link(url: "https://a.example/f/v1.0", import: [${many(links, (i) => `{ name: "@x", as: "@y${i}" }`)}])`,
        many(links / 4, (i) => `extend schema @link(url: "https://specs.apollo.dev/federation/v2.${i % 20}", import: ["@key"])`, '\n'),
        `extend schema @link(url: "${'https://'.repeat(links)}")`,
        `extend schema @link(url: "https://a.example/${'f/'.repeat(links)}v1.0")`,
      ]); // prettier-ignore
  },
  'wide unions and enums': (random) => {
    const members = random.integer(1, 4_000);
    const unions = random.integer(1, 100);
    return random.pick([
      `${many(members, (i) => `type U${i} { a: Int }`)} union U = ${many(members, (i) => `U${i}`, ' | ')}`,
      `${many(unions, (i) => `type U${i} { a: Int }`)} ${many(unions, (j) => `union V${j} = ${many(unions, (i) => `U${i}`, ' | ')}`)}`,
      `enum E { ${many(members * 4, (i) => `E${i}`)} } extend type Query { e(e: E): E }`,
      `${many(members / 4, (i) => `enum E${i} { ${many(10, (j) => `V${j}`)} }`)} type A { ${many(members / 4, (i) => `f${i}(e: E${i}): E${i}`)} }`,
    ]);
  },
  'chains of interfaces': (random) => {
    const length = random.integer(1, 400);
    const fields = many(random.integer(1, 40), (i) => `f${i}: Int`);
    return random.pick([
        many(length, (i) => `interface I${i} ${i === 0 ? '' : `implements ${many(i, (j) => `I${j}`, ' & ')}`} { ${fields} }`, '\n'),
        many(length, (i) => `interface I${i} implements I${(i + 1) % length} { ${fields} }`, '\n'),
        `${many(length / 3, (i) => `interface I${i} { ${fields} }`)} ${many(length / 3, (i) => `type T${i} implements ${many(length / 3, (j) => `I${j}`, ' & ')} { ${fields} }`)}`,
        `${many(length, (i) => `interface I${i} @key(fields: "id") { id: ID! ${fields} }`)} ${many(length, (i) => `type T${i} implements I${i} @key(fields: "id") { id: ID! ${fields} }`)}`,
        `interface Node @key(fields: "id") { id: ID! } ${many(length * 5, (i) => `type T${i} implements Node @key(fields: "id") { id: ID! t: T${(i * 7) % (length * 5)} }`)}`,
      ]); // prettier-ignore
  },
  cycles: (random) => {
    const types = random.integer(1, 4_000);
    const step = random.integer(1, 11);
    return random.pick([
      many(types, (i) => `type T${i} { a: T${(i + step) % types} b: [T${(i * step) % types}!]! }`),
      many(types, (i) => `input I${i} { a: I${(i + 1) % types}! }`),
      many(types, (i) => `input I${i} { a: I${(i + step) % types} b: I${(i * step) % types} }`),
      many(types, (i) => `directive @d${i}(a: Int @d${(i + 1) % types}) on ARGUMENT_DEFINITION`),
      many(types, (i) => `union U${i} = U${(i + 1) % types}`),
      `${many(types, (i) => `type T${i} @inaccessible { a: T${(i + 1) % types} }`)} extend type Query { t: T0 }`,
    ]);
  },
  'long descriptions and block strings': (random) => {
    const length = random.integer(1, 900_000);
    return random.pick([
        `"""${random.word(1).repeat(length)}""" type A { a: Int }`,
        `"""${'\n  '.repeat(length / 3)}a""" type A { a: Int }`,
        `"""${'\\"""'.repeat(length / 4)}""" type A { a: Int }`,
        `"${'\\u{1F600}'.repeat(length / 9)}" type A { a: Int }`,
        many(length / 400, (i) => `"""${'  x\n'.repeat(80)}""" type D${i} { a: Int @deprecated(reason: """${'{'.repeat(50)}""") }`),
        `type A { a: Int @deprecated(reason: "${'x{'.repeat(length / 2)}") }`,
        `"""${'a'.repeat(length)}`,
      ]); // prettier-ignore
  },
  'many fields and arguments': (random) => {
    const fields = random.integer(1, 30_000);
    return random.pick([
        `interface I { ${intFields(fields / 2)} } type A implements I { ${intFields(fields / 2)} }`,
        `type A { a(${many(fields, (i) => `a${i}: Int`)}): Int }`,
        `type Product @key(fields: "id") { id: ID! ${intFields(fields)} }`,
        `type A { ${many(fields / 2, () => 'same: Int')} }`,
        `type A { ${many(fields / 2, (i) => `f${i}: Unknown${i}`)} } ${many(fields / 20, (i) => `type Unknwon${i} { a: Int }`)}`,
        many(fields / 10, (i) => `extend type Absent${i % 50} { f${i}: Int }`, '\n'),
        many(fields / 10, (i) => `scalar S${i} @specifiedBy(url: "x")`, '\n'),
        `extend type Query { ${many(fields / 2, (i) => `f${i}: Int @override(from: "${random.word(3)}")`)} }`,
      ]); // prettier-ignore
  },
};
