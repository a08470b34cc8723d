import type { OperationDefinitionNode } from 'graphql';
import { buildSchema, Kind, parse } from 'graphql';
import { flattenOperation } from '../../src/federation/plan/flatten-operation';
import { createPlanKeys } from '../../src/federation/answer/plan-keys';

const types = Array.from({ length: 100 }, (_, number) => `T${number}`);
const sdl = `
  type Query { pet: Pet thing: Thing }
  interface Pet { id: ID }
  type Cat implements Pet { id: ID }
  interface Thing { a: Int }
  ${types.map((name) => `type ${name} implements Thing { a: Int }`).join(' ')}`;
const schema = buildSchema(sdl);
const planKey = createPlanKeys(parse(sdl));

// random-supergraphs.nightly.test.ts checks that flattened operations get the same responses.
function flatten(text: string) {
  const [operation, ...others] = parse(text).definitions;
  const fragments = new Map(
    others.flatMap((definition) =>
      definition.kind === Kind.FRAGMENT_DEFINITION ? [[definition.name.value, definition] as const] : [],
    ),
  );
  return flattenOperation({
    ...{ schema, fragments, planKey, variables: {} },
    operation: operation as OperationDefinitionNode,
  });
}

it('refuses fragments that use each other twice before they are expanded', () => {
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
