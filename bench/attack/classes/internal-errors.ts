import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { GraphQLInputType, GraphQLNamedType, GraphQLObjectType, GraphQLOutputType } from 'graphql';
import {
  buildSchema,
  getNamedType,
  isEnumType,
  isInputObjectType,
  isInterfaceType,
  isLeafType,
  isListType,
  isNonNullType,
  isObjectType,
} from 'graphql';
import type { Attack, Scene } from '../attack';
import type { Random } from '../../../test/support/random';

/** The secret of /subgraph: the attacker is a client of the router here, whose representations reach the service. */
export const routerSecret = 'a secret between a router and this service';

const schema = buildSchema(readFileSync(join(__dirname, '../../../schema.graphql'), 'utf8'));

/** Names that a program may reserve. */
const oddNames = [
  '__projection0',
  '__proto__',
  'constructor',
  'toString',
  '__typename',
  'hasOwnProperty',
  '_',
  'f0',
  'variables',
];

const textsOfScalar: Readonly<Record<string, readonly string[]>> = {
  Int: ['0', '1', '200', '201', '-1', '2147483648', '1.5', '"1"', 'null'],
  Long: ['0', '9007199254740991', '9007199254740993', '-1', '"5"', '1e3'],
  Decimal: ['"1"', '1', '"1e5"', '"-0.00"', '"NaN"', '"9999999999999999999999999.99"'],
  Boolean: ['true', 'false', '1'],
  DateTime: ['"2026-01-01T00:00:00Z"', '"0000-00-00"', '"+275760-09-13T00:00:00Z"', '"now"', '0'],
  ID: ['"1"', '1', '"00000000-0000-0000-0000-000000000000"', '"{00000000000000000000000000000000}"', '""'],
  String: ['""', '"a"', '"%"', '"\\u0000"', '"\\ud800"', '"__proto__"', '1'],
};

function literal(random: Random, type: GraphQLInputType, depth = 0): string {
  if (isNonNullType(type)) return literal(random, type.ofType, depth);
  if (random.chance(0.1)) return 'null';
  if (isListType(type)) {
    return `[${random.list(random.integer(0, 3), () => literal(random, type.ofType, depth)).join(', ')}]`;
  }
  if (isEnumType(type)) return random.pick(type.getValues()).name;
  if (isInputObjectType(type)) {
    const fields = Object.values(type.getFields()).filter(() => random.chance(0.25));
    return `{ ${fields.map((field) => `${field.name}: ${literal(random, field.type, depth + 1)}`).join(', ')} }`;
  }
  return random.pick(textsOfScalar[type.toString()] ?? ['"a"']);
}

/**
 * An operation made from the schema, mostly valid: odd names for aliases and variables, scalars of the right and the
 * wrong kind.
 */
export function randomOperation(random: Random): { document: string; variables: Record<string, unknown> } {
  const definitions: string[] = [];
  const variables: Record<string, unknown> = {};
  const fragmentTexts: string[] = [];

  function argument(name: string, type: GraphQLInputType): string {
    if (!random.chance(0.4) || definitions.length > 6) return `${name}: ${literal(random, type)}`;
    const variable = `${random.pick(oddNames)}${random.chance(0.5) ? definitions.length : ''}`;
    if (definitions.some((definition) => definition.startsWith(`$${variable}:`))) return `${name}: $${variable}`;
    definitions.push(`$${variable}: ${type.toString()}`);
    const text = literal(random, type);
    try {
      if (random.chance(0.9)) variables[variable] = JSON.parse(text) as unknown;
    } catch {
      variables[variable] = text;
    }
    return `${name}: $${variable}`;
  }

  function selection(type: GraphQLOutputType | GraphQLNamedType, depth: number): string {
    const named = getNamedType(type);
    if (isLeafType(named)) return '';
    if (isInterfaceType(named)) {
      const members = [...schema.getPossibleTypes(named)].filter(() => random.chance(0.6));
      return `{ __typename id ${members.map((member) => `... on ${member.name} ${selection(member, depth + 1)}`).join(' ')} }`;
    }
    if (!isObjectType(named)) return '{ __typename }';
    const inner = fieldsOf(named, depth);
    if (!random.chance(0.15) || fragmentTexts.length > 4) return `{ ${inner} }`;
    const name = `F${fragmentTexts.length}`;
    fragmentTexts.push(`fragment ${name} on ${named.name} { ${inner} }`);
    return `{ ...${name} }`;
  }

  function fieldsOf(type: GraphQLObjectType, depth: number): string {
    const texts = Object.values(type.getFields())
      .filter((field) => (isLeafType(getNamedType(field.type)) ? random.chance(0.4) : depth < 5 && random.chance(0.3)))
      .map((field) => {
        const required = field.args.filter((arg) => isNonNullType(arg.type) && arg.defaultValue === undefined);
        const optional = field.args.filter((arg) => !required.includes(arg) && random.chance(0.25));
        const args = [...required, ...optional].map((arg) => argument(arg.name, arg.type)).join(', ');
        const alias = random.chance(0.1) ? `${random.pick(oddNames)}: ` : '';
        const directive = random.chance(0.05) ? ` @include(if: ${random.pick(['true', 'false'])})` : '';
        return `${alias}${field.name}${args === '' ? '' : `(${args})`}${directive} ${selection(field.type, depth + 1)}`;
      });
    return ['__typename', ...texts].join(' ');
  }

  const root = `{ ${fieldsOf(schema.getQueryType() as GraphQLObjectType, 0)} }`;
  const head = definitions.length === 0 ? '' : `(${definitions.join(', ')}) `;
  return { document: `query ${head}${root} ${fragmentTexts.join(' ')}`, variables };
}

async function sendRandomOperations({ attacker, random, shop }: Scene, path: string): Promise<void> {
  const { apiKey } = await shop.createKey();
  await attacker.flood(4, () => {
    const { document, variables } = randomOperation(random);
    return attacker.graphql(document, {
      apiKey,
      path,
      request: { variables },
      ...(path === '/subgraph' ? { headers: { 'Router-Authorization': routerSecret } } : {}),
    });
  });
}

export const randomOperations: Attack = {
  name: 'random-operations',
  what: 'operations made at random from the schema, with odd names and values, in search of INTERNAL_SERVER_ERROR',
  target: 'plain',
  run: (scene) => sendRandomOperations(scene, '/graphql'),
};

/** Types that are entities, types that are not, and names that are not types. */
const typeNames = [
  ...Object.keys(schema.getTypeMap()),
  'PageInfo',
  '_Any',
  'Nobody',
  '__proto__',
  'constructor',
  '',
  'Query',
];

export const representations: Attack = {
  name: 'representations',
  what: '_entities of /subgraph with representations of any type and shape, between random operations',
  target: 'federated',
  async run(scene) {
    const { attacker, random, shop } = scene;
    const { apiKey } = await shop.createKey();
    await attacker.flood(4, (index) => {
      if (index % 4 === 0) {
        const { document, variables } = randomOperation(random);
        return attacker.graphql(document, {
          apiKey,
          path: '/subgraph',
          request: { variables },
          headers: { 'Router-Authorization': routerSecret },
        });
      }
      const type = random.pick(typeNames);
      const representation = random.pick<unknown>([
        { __typename: type },
        { __typename: type, id: random.pick<unknown>(['1', 1, null, {}, [], '00000000-0000-0000-0000-000000000000']) },
        { id: '1' },
        null,
        [],
        type,
        { __typename: [type] },
        { __typename: type, __proto__: null, constructor: 1 },
      ]);
      const name = random.pick(['representations', ...oddNames]);
      const document = `query ($${name}: [_Any!]!) { _entities(representations: $${name}) { __typename ... on Product { id title variants { id } }
        ... on ${random.pick(['Product', 'Variant', 'Order', 'PageInfo', 'Shop', 'Node'])} { __typename } } }`;
      return attacker.graphql(document, {
        apiKey,
        path: '/subgraph',
        request: { variables: { [name]: random.list(random.pick([1, 2, 50]), () => representation) } },
        headers: { 'Router-Authorization': routerSecret },
      });
    });
  },
};
