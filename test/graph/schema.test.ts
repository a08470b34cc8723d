import { getDirective, printSchemaWithDirectives } from '@graphql-tools/utils';
import type { GraphQLNamedType } from 'graphql';
import {
  buildSchema,
  getNamedType,
  isEnumType,
  isInputObjectType,
  isInterfaceType,
  isIntrospectionType,
  isObjectType,
  isSpecifiedDirective,
  isSpecifiedScalarType,
  lexicographicSortSchema,
} from 'graphql';
import { scopes } from '../../src/auth/api-key';
import { createSchema, readTypeDefinitions } from '../../src/graph/schema';

const written = buildSchema(readTypeDefinitions());
const types = Object.values(written.getTypeMap()).filter(
  (type) => !isIntrospectionType(type) && !isSpecifiedScalarType(type),
);

interface Described {
  readonly description?: string | null | undefined;
  readonly deprecationReason?: string | null | undefined;
}

/** Everything that can have a description, by schema coordinate. */
function* coordinates(): Generator<readonly [coordinate: string, element: Described]> {
  for (const directive of written.getDirectives()) {
    if (!isSpecifiedDirective(directive)) yield [`@${directive.name}`, directive];
  }
  for (const type of types) {
    yield [type.name, type];
    yield* membersOf(type);
  }
}

function* membersOf(type: GraphQLNamedType): Generator<readonly [string, Described]> {
  if (isEnumType(type)) for (const value of type.getValues()) yield [`${type.name}.${value.name}`, value];
  if (isInputObjectType(type)) {
    for (const field of Object.values(type.getFields())) yield [`${type.name}.${field.name}`, field];
  }
  if (!isObjectType(type) && !isInterfaceType(type)) return;
  for (const field of Object.values(type.getFields())) {
    const coordinate = `${type.name}.${field.name}`;
    yield [coordinate, field];
    for (const argument of field.args) yield [`${coordinate}(${argument.name}:)`, argument];
  }
}

describe('schema.graphql', () => {
  it('is the schema that is executed, with nothing added and nothing left out', () => {
    const print = (schema: typeof written) => printSchemaWithDirectives(lexicographicSortSchema(schema));
    expect(print(createSchema())).toBe(print(written));
  });

  it('describes everything it defines', () => {
    const silent = [...coordinates()].filter(([, { description }]) => !description?.trim());
    expect(silent.map(([coordinate]) => coordinate)).toEqual([]);
  });

  it('ends every description as a sentence', () => {
    const unfinished = [...coordinates()].filter(([, { description }]) => !/[.`…]$/.test(description ?? ''));
    expect(unfinished.map(([coordinate]) => coordinate)).toEqual([]);
  });

  it('requires a scope on every type that holds data of a shop, and only scopes that exist', () => {
    const open = ['PageInfo', 'Query', 'VariantOption', 'Image', 'Membership', 'LineItem'];
    const required = types
      .filter(isObjectType)
      .filter(({ name }) => !open.includes(name) && !name.endsWith('Edge'))
      .map((type) => [type.name, getDirective(written, type, 'requiresScopes')?.[0]?.['scopes'] as unknown] as const);
    for (const [name, sets] of required) {
      const [first] = sets as readonly unknown[];
      expect({ name, first }).toEqual({ name, first: [expect.stringMatching(new RegExp(scopes.join('|')))] });
    }
  });

  it('reaches what is open only through what is guarded', () => {
    const open = types
      .filter(isObjectType)
      .filter((type) => getDirective(written, type, 'requiresScopes') === undefined);
    const query = written.getQueryType();
    const direct = Object.values(query?.getFields() ?? {}).map(({ type }) => getNamedType(type).name);
    expect(open.map(({ name }) => name).filter((name) => direct.includes(name))).toEqual([]);
  });

  it('deprecates with a replacement and the day of removal (docs/compatibility.md)', () => {
    const deprecated = [...coordinates()].filter(([, { deprecationReason }]) => typeof deprecationReason === 'string');
    const unclear = deprecated.filter(
      ([, { deprecationReason }]) =>
        !/^Use `[^`]+`.* Will be removed on \d{4}-\d\d-\d\d\.$/.test(deprecationReason ?? ''),
    );
    expect(unclear.map(([coordinate]) => coordinate)).toEqual([]);
  });
});
