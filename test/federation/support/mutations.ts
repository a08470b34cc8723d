import { seededNumbers } from '../../support/random';

/** Random numbers from a seed, so that a mutant can be reproduced. */
export type Random = (below: number) => number;

export function createRandom(seed: number): Random {
  const next = seededNumbers(seed);
  return (below) => Math.floor(next() * below);
}

export const pick = <Item>(random: Random, items: readonly Item[]): Item => items[random(items.length)] as Item;

type Json = unknown;

/** Every position in a JSON value: the container and the key. */
function places(value: Json, found: [container: Record<string, Json>, key: string][] = []) {
  if (typeof value !== 'object' || value === null) return found;
  for (const key of Object.keys(value)) {
    found.push([value as Record<string, Json>, key]);
    places((value as Record<string, Json>)[key], found);
  }
  return found;
}

const nested = (depth: number): Json => {
  let value: Json = 1;
  for (let level = 0; level < depth; level += 1) value = level % 2 ? [value] : { a: value };
  return value;
};

const strange: readonly ((random: Random) => Json)[] = [
  () => null,
  () => undefined,
  () => true,
  () => 0,
  () => -1.5,
  () => 2 ** 31,
  () => 1e300,
  () => '',
  () => 'toString',
  () => '\u0000\ud800"',
  () => 'x'.repeat(10_000),
  () => [],
  () => ({}),
  () => [[[null]]],
  () => ({ __typename: 'Order', id: 'evil' }),
  () => ({ length: 3, 0: 'a' }),
  () => JSON.parse('{"__proto__":{"title":"evil"},"constructor":1}') as Json,
  (random) => new Array<null>(random(2000)).fill(null),
  (random) => Array.from({ length: random(2000) }, () => ({})),
  (random) => nested(random(150)),
];

const members: readonly (readonly [string, Json])[] = [
  ['id', 'evil'],
  ['title', 'evil'],
  ['minPrice', '0.00'],
  ['averageRating', 'evil'],
  ['__typename', 'Order'],
  ['__typename', 7],
  ['errors', [{ message: 'inner' }]],
  ['_entities', null],
  ['products', []],
];

const errors: readonly Json[] = [
  null,
  {},
  'x',
  [null],
  [{}],
  [{ message: 1, path: 'x', extensions: null }],
  [
    {
      message: 'x',
      path: ['_entities', 0, 'mood'],
      extensions: { code: 'SERVICE_UNAVAILABLE', http: { status: 401 } },
    },
  ],
  [{ message: 'x', extensions: { code: 'UNAUTHENTICATED', http: { status: 99_999, headers: { 'x-evil': '1' } } } }],
  [{ message: 'x', path: ['products'], extensions: { code: 'GRAPHQL_VALIDATION_FAILED', http: { status: -1 } } }],
  Array.from({ length: 500 }, (_, index) => ({ message: `${index}`, path: ['_entities', index % 5] })),
  Array.from({ length: 60_000 }, () => ({})),
];

/** A GraphQL response with something wrong in it, or occasionally an intact one. */
export function mutateResponse(response: Json, random: Random): Json {
  const mutant = structuredClone(response) as Record<string, Json>;
  for (let count = 1 + random(3); count > 0; count -= 1) {
    const found = places(mutant['data']);
    const [container, key] = found.length === 0 ? [mutant, 'data'] : pick(random, found);
    const value = container[key];
    switch (random(8)) {
      case 0:
      case 1:
      case 2:
        container[key] = pick(random, strange)(random);
        break;
      case 3:
        delete container[key];
        break;
      case 4: {
        const [name, member] = pick(random, members);
        if (typeof value === 'object' && value !== null) (value as Record<string, Json>)[name] = member;
        break;
      }
      case 5:
        if (Array.isArray(value))
          value.splice(random(value.length + 1), random(2), ...(value.slice(random(value.length)) as Json[]));
        break;
      case 6:
        container[key] = typeof value === 'string' ? [value] : String(value);
        break;
      default:
        mutant['errors'] = pick(random, errors);
    }
  }
  return random(20) === 0 ? pick(random, strange)(random) : mutant;
}

/** Text with something wrong in it. */
export function mutateText(text: string, random: Random, words: readonly string[]): string {
  let mutant = text;
  for (let count = 1 + random(3); count > 0; count -= 1) {
    const at = random(mutant.length + 1);
    const end = Math.min(mutant.length, at + random(40));
    switch (random(6)) {
      case 0:
        mutant = mutant.slice(0, at) + mutant.slice(end);
        break;
      case 1:
        mutant = mutant.slice(0, at) + mutant.slice(at, end).repeat(2 + random(5)) + mutant.slice(end);
        break;
      case 2:
        mutant = mutant.slice(0, at) + String.fromCharCode(random(0x100)) + mutant.slice(at);
        break;
      default: {
        // At the edge of a word.
        const border = mutant.indexOf(' ', at);
        if (border >= 0) mutant = `${mutant.slice(0, border)} ${pick(random, words)} ${mutant.slice(border)}`;
      }
    }
  }
  return mutant;
}
