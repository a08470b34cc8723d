import { buildSchema, Kind, parse, print, stripIgnoredCharacters } from 'graphql';
import { flattenOperation } from '../../src/federation/plan/flatten-operation';
import { createPlanKeys } from '../../src/federation/answer/plan-keys';

const types = Array.from({ length: 100 }, (_, number) => `T${number}`);
const sdl = `
  type Query { pet: Pet one: Cat any: Any thing: Thing }
  interface Pet { id: ID name: String friend: Pet }
  type Cat implements Pet { id: ID name: String friend: Pet lives: Int }
  type Dog implements Pet { id: ID name: String friend: Pet tricks(most: Int): Int }
  union Any = Cat | Dog
  interface Thing { a: Int }
  ${types.map((name) => `type ${name} implements Thing { a: Int }`).join(' ')}`;
const schema = buildSchema(sdl);
const planKey = createPlanKeys(parse(sdl));

function flatten(text: string, variables: Readonly<Record<string, unknown>> = {}): string {
  const document = parse(text);
  const [operation] = document.definitions.filter(({ kind }) => kind === Kind.OPERATION_DEFINITION);
  if (operation?.kind !== Kind.OPERATION_DEFINITION) throw new Error('no operation');
  const fragments = new Map(
    document.definitions.flatMap((definition) =>
      definition.kind === Kind.FRAGMENT_DEFINITION ? [[definition.name.value, definition] as const] : [],
    ),
  );
  return stripIgnoredCharacters(print(flattenOperation({ schema, operation, fragments, planKey, variables })));
}

it.each([
  ['fields of one key', '{ one { id } one { name } }', '{one{id name}}'],
  ['conditions', 'query ($no: Boolean!) { one { id @include(if: $no) name @skip(if: $no) } }', '{one{name}}'],
  ['fragments of the type itself', '{ pet { ...F } } fragment F on Pet { id }', '{pet{id}}'],
  ['fragments on another interface', '{ any { ... on Pet { id } } }', '{any{...on Cat{id}...on Dog{id}}}'],
  ['what all objects have', '{ pet { ... on Cat { id } ... on Dog { id } } }', '{pet{id __typename}}'],
  ['what is common and once more in a fragment', '{ pet { id ... on Cat { id lives } } }', '{pet{id ...on Cat{lives}}}'],
  ['another field under one key', '{ pet { ... on Cat { v: id } ... on Dog { v: name } } }', '{pet{...on Cat{v:id}...on Dog{v:name}}}'],
  ['fragments that are never true', '{ one { ... on Pet { ... on Dog { id } } } }', '{one{__typename}}'],
  ['arguments and their variables', 'query ($most: Int, $unused: Int) { any { ... on Dog { tricks(most: $most) } } }', 'query($most:Int){any{...on Dog{tricks(most:$most)}}}'],
  ['aliases that are names of fields', '{ one { id: name alias_x: id x: id } }', '{one{alias_id:name alias_alias_x:id x:id}}'],
])('%s', (_, given, expected) => {
  expect(flatten(given, { no: false })).toBe(expected);
}); // prettier-ignore

it('refuses fragments that contain each other twice before they are written out', () => {
  const count = 60;
  const fragments = Array.from({ length: count }, (_, at) => {
    const inner = at === count - 1 ? 'id' : `...F${at + 1} ...F${at + 1}`;
    return `fragment F${at} on Pet { ${inner} }`;
  });
  expect(() => flatten(`{ pet { ...F0 } } ${fragments.join(' ')}`)).toThrow('more than 10000 fields and fragments');
});

it('refuses fields whose number multiplies with the types of an interface', () => {
  const fields = Array.from({ length: 200 }, (_, at) => `x${at}: a`).join(' ');
  const each = types.map((name) => `... on ${name} { ${fields} }`).join(' ');
  expect(() => flatten(`{ thing { ${each} } }`)).toThrow('more than 10000 fields and fragments');
});
