import type { GraphQLArgument, GraphQLInputType, GraphQLNamedType, GraphQLSchema } from 'graphql';
import {
  getNamedType,
  isCompositeType,
  isEnumType,
  isInputObjectType,
  isInterfaceType,
  isListType,
  isNonNullType,
  isObjectType,
  isUnionType,
} from 'graphql';
import { seededNumbers } from './random';

/** Names that mean something to JavaScript, to GraphQL or to this service. */
export const hostileNames = [
  ...['constructor', '__proto__', 'prototype', 'toString', 'valueOf', 'hasOwnProperty', 'then', 'length', 'name'],
  ...['__projection0', '__projection1', '__typename', '__schema', 'projection', 'rawNodes', 'rawProduct'],
  ...[
    'input',
    'coerced',
    'errors',
    'data',
    'path',
    'null',
    'true',
    'on',
    'query',
    'fragment',
    'if',
    'default',
    'class',
  ],
  ...['__context', '__parent', '__field', 'undefined', 'arguments', 'eval', 'this', '_', '__', 'nodes', 'edges', 'id'],
];

export interface RandomRequest {
  readonly query: string;
  /** JSON text, because `__proto__` cannot be written as a member otherwise. */
  readonly variables: string;
  readonly operationName: string | undefined;
}

interface RandomDocumentsOptions {
  readonly schema: GraphQLSchema;
  readonly seed: number;
  /** Ids that exist. */
  readonly ids: readonly string[];
}

/**
 * Makes documents from a schema that are valid, or nearly so: any field, any argument, malicious names wherever a
 * client chooses a name, values that fit their types most of the time, and variables that were declared or not.
 */
export function createRandomDocuments({ schema, seed, ids }: RandomDocumentsOptions): () => RandomRequest {
  const random = seededNumbers(seed);
  const below = (count: number) => Math.floor(random() * count);
  const chance = (probability: number) => random() < probability;
  const pick = <Item>(items: readonly Item[]): Item => items[below(items.length)] as Item;
  const many = (most: number, each: () => string): readonly string[] => Array.from({ length: below(most + 1) }, each);
  const texts = ['', 'a', '\\u0000', '%', '💥', '2026-01-31T12:00:00Z', '19.90', '-1', '1e9', 'ACTIVE', '__proto__'];

  return () => {
    const variables = new Map<string, string>();
    const values: string[] = [];
    const fragments: string[] = [];

    const variable = (type: string, known: GraphQLInputType): string => {
      const name = pick(hostileNames);
      if (!variables.has(name) || chance(0.05)) {
        // A variable that may be null is allowed where the place, or the variable, has a default (GraphQL, section
        // 5.8.5).
        const nullable = chance(0.25) ? type.replace(/!$/, '') : type;
        const declared = chance(0.9) ? nullable : pick(['Int', 'String!', '[ID!]!', 'ProductFilter', 'Nope']);
        variables.set(name, `$${name}: ${declared}${chance(0.2) ? ` = ${literal(known, 2)}` : ''}`);
        if (chance(0.85)) values.push(`${JSON.stringify(name)}: ${chance(0.1) ? 'null' : json(known, 3)}`);
      }
      return `$${name}`;
    };

    /** Either as GraphQL writes a value, or as JSON does. */
    const write = (type: GraphQLInputType, depth: number, isJson: boolean): string => {
      if (chance(0.04))
        return pick(['null', '1', '-1', '"x"', '[]', '{}', '[null]', '1.5', 'true', '4294967296', '[[1]]']);
      if (isNonNullType(type)) return write(type.ofType, depth, isJson);
      if (isListType(type)) return `[${many(3, () => write(type.ofType, depth, isJson)).join(', ')}]`;
      const named = getNamedType(type);
      if (isInputObjectType(named)) {
        const members = Object.values(named.getFields());
        const shown =
          depth === 0
            ? []
            : many(3, () => {
                const member = pick(members);
                const name = chance(0.05) ? pick(hostileNames) : member.name;
                return `${isJson ? JSON.stringify(name) : name}: ${write(member.type, depth - 1, isJson)}`;
              });
        return `{${shown.join(', ')}}`;
      }
      if (isEnumType(named))
        return isJson ? JSON.stringify(pick(named.getValues()).name) : pick(named.getValues()).name;
      if (named.name === 'Int' || named.name === 'Long') return pick(['0', '1', '2', '200', '201', '-1']);
      if (named.name === 'Boolean') return pick(['true', 'false']);
      if (named.name === '_Any') return representation(isJson);
      if (named.name === 'ID') return JSON.stringify(chance(0.7) ? pick(ids) : pick(texts));
      return JSON.stringify(pick(texts));
    };
    const literal = (type: GraphQLInputType, depth: number) => write(type, depth, false);
    const json = (type: GraphQLInputType, depth: number) => write(type, depth, true);

    const representation = (isJson: boolean): string => {
      const quote = (name: string) => (isJson ? JSON.stringify(name) : name);
      const type = chance(0.8) ? pick(Object.keys(schema.getTypeMap())) : pick(hostileNames);
      const id = pick([JSON.stringify(pick(ids)), 'null', '1', '[]', '{}', '""', '[["a"]]']);
      const more = chance(0.3) ? `, ${quote(pick(hostileNames))}: ${pick(['1', '{}', 'null'])}` : '';
      return chance(0.9)
        ? `{${quote('__typename')}: ${JSON.stringify(type)}, ${quote('id')}: ${id}${more}}`
        : pick(['{}', '1', '[]', '"x"', 'null']);
    };

    const argumentsOf = (args: readonly GraphQLArgument[]): string => {
      const given = args.filter((argument) => isNonNullType(argument.type) || chance(0.25));
      if (given.length === 0) return '';
      const text = given.map(
        ({ name, type }) => `${name}: ${chance(0.5) ? variable(type.toString(), type) : literal(type, 2)}`,
      );
      return `(${text.join(', ')})`;
    };

    const directives = (): string =>
      chance(0.08)
        ? ` @${pick(['include', 'skip'])}(if: ${chance(0.5) ? variable('Boolean!', booleanOf(schema)) : pick(['true', 'false'])})`
        : '';

    const selections = (type: GraphQLNamedType, depth: number): string => {
      const fields = isObjectType(type) || isInterfaceType(type) ? Object.values(type.getFields()) : [];
      const shown = Array.from({ length: 1 + below(4) }, (): string => {
        const kind = random();
        if (kind < 0.1 || fields.length === 0) return chance(0.5) ? '__typename' : `${pick(hostileNames)}: __typename`;
        if (kind < 0.2 && depth > 0) {
          const others = isInterfaceType(type) || isUnionType(type) ? schema.getPossibleTypes(type) : [type];
          const on = pick(others);
          if (chance(0.5)) return `... on ${on.name}${directives()} { ${selections(on, depth - 1)} }`;
          const name = pick(hostileNames.filter((each) => each !== 'on'));
          if (fragments.some((text) => text.startsWith(`fragment ${name} `))) return '__typename';
          const at = fragments.push(`fragment ${name} `) - 1;
          fragments[at] += `on ${on.name} { ${selections(on, depth - 1)} }`;
          return `...${name}`;
        }
        const field = pick(fields);
        const named = getNamedType(field.type);
        if (isCompositeType(named) && depth === 0) return '__typename';
        const alias = chance(0.25) ? `${pick(hostileNames)}: ` : '';
        const inner = isCompositeType(named) ? ` { ${selections(named, depth - 1)} }` : '';
        return `${alias}${field.name}${argumentsOf(field.args)}${directives()}${inner}`;
      });
      return shown.join(' ');
    };

    const root = schema.getQueryType() as GraphQLNamedType;
    const body = selections(root, 4);
    const name = chance(0.4) ? pick(hostileNames) : undefined;
    const declared = variables.size === 0 ? '' : `(${[...variables.values()].join(', ')})`;
    const stray = chance(0.1) ? [`${JSON.stringify(pick(hostileNames))}: ${pick(['1', '{}', '[[]]'])}`] : [];
    return {
      query: `query ${name ?? ''}${declared} { ${body} } ${fragments.join(' ')}`,
      variables: `{${[...values, ...stray].join(', ')}}`,
      operationName: chance(0.9) ? name : pick(hostileNames),
    };
  };
}

const booleanOf = (schema: GraphQLSchema): GraphQLInputType => schema.getType('Boolean') as GraphQLInputType;
