import type { GraphQLSchema } from 'graphql';
import { buildSchema } from 'graphql';
import type { Random } from '../../model/random';
import type { TestSubgraphs } from './in-process-gateway';

/*
 * A random graph of entities: once as one schema, and once divided over subgraphs. A value follows from its object and
 * the name of its field, so both have to give the same answers.
 */

/** An object. Its id is the first letter of its type followed by a number. */
interface Thing {
  readonly __typename: string;
  readonly id: string;
}

interface Field {
  readonly name: string;
  /** Int or the name of a type. */
  readonly type: string;
  readonly isList?: boolean;
  readonly isNonNull?: boolean;
  /** The subgraphs that resolve it: several if it is @shareable. */
  readonly owners: readonly string[];
  /** A field of another subgraph from which it is computed. */
  readonly requires?: string;
  /** A field of the object it leads to, which its subgraph resolves there and nowhere else. */
  readonly provides?: string;
  /** The subgraph that resolved it before. */
  readonly overrides?: string;
  /** Whether it has the argument `plus`, which is added to its value. */
  readonly takesPlus?: boolean;
}

interface Entity {
  readonly name: string;
  readonly isAnimal: boolean;
  readonly fields: readonly Field[];
  /** The keys in each of its subgraphs: `id`, `code` or both. */
  readonly keys: ReadonlyMap<string, readonly string[]>;
}

export interface RandomSupergraph {
  readonly whole: GraphQLSchema;
  readonly rootValue: Readonly<Record<string, unknown>>;
  readonly subgraphs: TestSubgraphs;
}

const objectsPerType = 4;

/** A pseudo-random number that is always the same for the same text. */
const digest = (text: string): number =>
  Array.from(text).reduce((value, letter) => (value * 31 + (letter.codePointAt(0) ?? 0)) % 1_000_003, 7);

const typeText = ({ type, isList, isNonNull }: Field): string =>
  `${isList ? `[${type}!]` : type}${isNonNull ? '!' : ''}`;
const signature = (field: Field): string =>
  `${field.name}${field.takesPlus ? '(plus: Int = 0)' : ''}: ${typeText(field)}`;

interface Arguments {
  readonly plus?: number | null;
}

/** A divided graph, decided by numbers. */
class Plan {
  readonly names: readonly string[];
  readonly hasAnimals: boolean;
  /** The subgraph that adds a field to all animals without knowing any of them (@interfaceObject). */
  readonly outsider: string | undefined;
  readonly animals: readonly string[];
  readonly union: readonly string[];
  readonly entities: readonly Entity[];
  readonly queries: readonly Field[];
  readonly #random: Random;

  constructor(random: Random) {
    this.#random = random;
    this.names = ['a', 'b', 'c', 'd'].slice(0, 2 + random.integer(3));
    const types = ['Ant', 'Bee', 'Cat', 'Dog'].slice(0, 2 + random.integer(3));
    this.hasAnimals = random.oneIn(2);
    this.outsider = this.hasAnimals && this.names.length > 2 && random.oneIn(2) ? random.pick(this.names) : undefined;
    this.animals = this.hasAnimals ? random.some(types, 3) : [];
    this.union = random.oneIn(2) ? random.some(types, 3) : [];
    const outputs = [...types, ...(this.hasAnimals ? ['Animal'] : []), ...(this.union.length > 0 ? ['Pick'] : [])];
    const entities = types.map((name) => this.#entity(name, outputs));
    const queries = outputs.flatMap((type): readonly Field[] => [
      { name: `one${type}`, type, owners: [random.pick(this.#knowing(type))] },
      { name: `all${type}`, type, isList: true, isNonNull: true, owners: [random.pick(this.#knowing(type))] },
    ]);
    const withProvided = (field: Field): Field => {
      const provides = this.#provided(field, entities);
      return provides === undefined ? field : { ...field, provides };
    };
    this.entities = entities.map((entity) => ({ ...entity, fields: entity.fields.map(withProvided) }));
    this.queries = queries.map(withProvided);
  }

  /** The fields of a type that a subgraph resolves where another field leads to them (@provides). */
  providedBy(subgraph: string, type: string): readonly string[] {
    const fields = [...this.queries, ...this.entities.flatMap((entity) => entity.fields)];
    const names = fields.flatMap((field) =>
      field.type === type && field.provides !== undefined && field.owners.includes(subgraph) ? [field.provides] : [],
    );
    return [...new Set(names)];
  }

  /** Picks such a field for some fields that lead to a type owned by other subgraphs. */
  #provided({ type, owners: [owner = ''] }: Field, entities: readonly Entity[]): string | undefined {
    const target = entities.find(({ name }) => name === type);
    if (target === undefined || !this.#random.oneIn(3)) return undefined;
    const elsewhere = target.fields.filter(
      (field) =>
        field.type === 'Int' &&
        field.requires === undefined &&
        field.overrides === undefined &&
        field.takesPlus !== true &&
        !field.owners.includes(owner),
    );
    return elsewhere.length === 0 ? undefined : this.#random.pick(elsewhere).name;
  }

  membersOf(type: string): readonly string[] {
    return type === 'Pick' ? this.union : type === 'Animal' ? this.animals : [type];
  }

  /** Whether the subgraph can have the type: the outsider knows that there are animals, but none of them. */
  knows(subgraph: string, type: string): boolean {
    if (subgraph !== this.outsider || type === 'Int' || type === 'Animal') return true;
    return !this.membersOf(type).some((name) => this.animals.includes(name));
  }

  #knowing(...types: readonly string[]): readonly string[] {
    return this.names.filter((name) => types.every((type) => this.knows(name, type)));
  }

  #entity(name: string, outputs: readonly string[]): Entity {
    const random = this.#random;
    const at = this.#knowing(name);
    const fields: Field[] = ['x', 'y', 'z', 'w'].slice(0, 2 + random.integer(3)).map((field) => ({
      name: field,
      type: 'Int',
      owners: random.some(at, random.oneIn(4) ? 2 : 1),
      takesPlus: random.oneIn(5),
    }));
    // A type without a key that several subgraphs share.
    if (random.oneIn(3)) fields.push({ name: 'p', type: 'Spot', owners: random.some(at, 2), isList: random.oneIn(3) });
    for (const field of ['r', 's'].slice(0, 1 + random.integer(2))) {
      const type = random.pick(outputs);
      const owners = [random.pick(this.#knowing(name, type))];
      fields.push({ name: field, type, isList: random.oneIn(2), isNonNull: random.oneIn(2), owners });
    }
    const [required, ...others] = random.some(
      fields.filter(({ type, takesPlus }) => type === 'Int' && takesPlus !== true),
      4,
    ) as [Field?, ...Field[]];
    const makers = at.filter((one) => required?.owners.includes(one) === false);
    if (required !== undefined && makers.length > 0 && random.oneIn(2)) {
      fields.push({ name: 'q', type: 'Int', owners: [random.pick(makers)], requires: required.name });
    }
    const moved = others.find(({ owners }) => owners.length === 1);
    const former = at.filter((one) => !moved?.owners.includes(one));
    if (moved !== undefined && former.length > 0 && random.oneIn(3)) {
      fields[fields.indexOf(moved)] = { ...moved, overrides: random.pick(former) };
    }
    // One subgraph has both keys, through which subgraphs with only one of them reach each other.
    const hub = random.oneIn(3) ? random.pick(at) : undefined;
    const isAnimal = this.animals.includes(name);
    const keysIn = (subgraph: string) =>
      hub === undefined ? ['id'] : subgraph === hub ? ['id', 'code'] : [random.pick(['id', 'code'])];
    const byId = isAnimal && this.outsider !== undefined;
    return { name, isAnimal, fields, keys: new Map(at.map((each) => [each, byId ? ['id'] : keysIn(each)])) };
  }
}

/** The values of fields, wherever they are resolved. */
class Values {
  constructor(private readonly plan: Plan) {}

  scalar(id: string, name: string, { plus }: Arguments = {}): number | null {
    const value = digest(`${id}.${name}`) % 1000;
    return value % 9 === 0 ? null : value + (plus ?? 0);
  }

  spots(id: string, { name, isList = false }: Field): unknown {
    const at = (place: number) => ({
      m: this.scalar(id, `${name}.m${place}`),
      n: this.scalar(id, `${name}.n${place}`),
    });
    return isList ? [at(0), at(1)] : at(0);
  }

  made(required: number | null): number | null {
    return required === null ? null : required + 1;
  }

  relation(of: string, { name, type, isList = false, isNonNull = false }: Field): Thing | readonly Thing[] | null {
    const types = this.plan.membersOf(type);
    const at = (place: number): Thing => {
      const value = digest(`${of}.${name}.${place}`);
      const member = types[value % types.length] as string;
      return { __typename: member, id: `${member[0]}${Math.floor(value / 7) % objectsPerType}` };
    };
    if (isList) return Array.from({ length: digest(`${of}.${name}`) % 4 }, (_, place) => at(place));
    return !isNonNull && digest(`${of}.${name}`) % 5 === 0 ? null : at(0);
  }

  of(id: string, field: Field, given: Arguments = {}): unknown {
    if (field.type === 'Spot') return this.spots(id, field);
    if (field.type !== 'Int') return this.relation(id, field);
    return field.requires === undefined
      ? this.scalar(id, field.name, given)
      : this.made(this.scalar(id, field.requires));
  }
}

export function createRandomSupergraph(random: Random): RandomSupergraph {
  const plan = new Plan(random);
  const values = new Values(plan);
  return {
    ...createWhole(plan, values),
    subgraphs: Object.fromEntries(plan.names.map((name) => [name, createSubgraph(plan, values, name)])),
  };
}

function createWhole({ entities, hasAnimals, outsider, union, queries }: Plan, values: Values) {
  const added = outsider === undefined ? '' : 'k: Int';
  const sdl = [
    `type Query { ${queries.map((field) => signature(field)).join(' ')} }`,
    'type Spot { m: Int n: Int }',
    ...(hasAnimals ? [`interface Animal { id: ID! ${added} }`] : []),
    ...(union.length > 0 ? [`union Pick = ${union.join(' | ')}`] : []),
    ...entities.map(({ name, isAnimal, fields, keys }) =>
      [
        `type ${name} ${isAnimal ? 'implements Animal' : ''} {`,
        [...keys.values()].some((all) => all.includes('id')) || isAnimal ? 'id: ID!' : '',
        [...keys.values()].some((all) => all.includes('code')) ? 'code: ID!' : '',
        ...fields.map((field) => signature(field)),
        isAnimal ? added : '',
        '}',
      ].join(' '),
    ),
  ];
  const toObject = ({ __typename, id }: Thing): unknown => {
    const { fields = [] } = entities.find(({ name }) => name === __typename) ?? {};
    const own = fields.map((field) => [field.name, (given: Arguments) => toResult(values.of(id, field, given))]);
    return { __typename, id, code: `code-${id}`, k: values.scalar(id, 'k'), ...Object.fromEntries(own) };
  };
  const toResult = (value: unknown): unknown => {
    if (Array.isArray(value)) return value.map(toResult);
    return value !== null && typeof value === 'object' && 'id' in value ? toObject(value as Thing) : value;
  };
  const rootValue = Object.fromEntries(
    queries.map((field) => [field.name, () => toResult(values.relation('Query', field))]),
  );
  return { whole: buildSchema(sdl.join('\n')), rootValue };
}

type Reference = Readonly<Record<string, unknown>>;

function createSubgraph(plan: Plan, values: Values, subgraph: string) {
  const { entities, hasAnimals, outsider, union, queries } = plan;
  const isOutsider = subgraph === outsider;
  const known = entities.filter(({ name }) => plan.knows(subgraph, name));
  const isHere = ({ owners, overrides }: Field): boolean => owners.includes(subgraph) || overrides === subgraph;
  const roots = queries.filter(isHere);
  const fieldText = (field: Field, isShared = false): string =>
    [
      signature(field),
      field.owners.length > 1 || isShared ? '@shareable' : '',
      field.provides === undefined ? '' : `@provides(fields: "${field.provides}")`,
      field.requires === undefined ? '' : `@requires(fields: "${field.requires}")`,
      field.overrides === undefined || field.overrides === subgraph ? '' : `@override(from: "${field.overrides}")`,
    ].join(' ');
  const entityText = ({ name, isAnimal, fields, keys }: Entity): string => {
    const own = keys.get(subgraph) ?? [];
    const here = fields.filter(isHere);
    const shared = new Set(plan.names.flatMap((one) => plan.providedBy(one, name)));
    const required = here.flatMap(({ requires }) => (requires === undefined ? [] : [requires]));
    const external = new Set([...required, ...plan.providedBy(subgraph, name)]);
    return [
      `type ${name} ${isAnimal ? 'implements Animal' : ''} ${own.map((key) => `@key(fields: "${key}")`).join(' ')} {`,
      ...own.map((key) => `${key}: ID!`),
      // The interface has it, whatever the key is.
      isAnimal && !own.includes('id') ? 'id: ID! @shareable' : '',
      ...here.map((field) => fieldText(field, shared.has(field.name))),
      ...[...external].map((field) => `${field}: Int @external`),
      '}',
    ].join(' ');
  };
  const animal = isOutsider
    ? 'type Animal @key(fields: "id") @interfaceObject { id: ID! k: Int }'
    : `interface Animal ${outsider === undefined ? '' : '@key(fields: "id")'} { id: ID! }`;
  const typeDefs = [
    `type Query { ${roots.map((field) => fieldText(field)).join(' ')} none: Int @shareable @inaccessible }`,
    ...(hasAnimals ? [animal] : []),
    ...(union.length > 0 && plan.knows(subgraph, 'Pick') ? [`union Pick = ${union.join(' | ')}`] : []),
    ...known.map(entityText),
    'type Spot @shareable { m: Int n: Int }',
  ].join('\n');

  /** The outsider returns no type for an animal. */
  const toResult = (value: unknown, type: string): unknown => {
    if (Array.isArray(value)) return value.map((thing) => toResult(thing, type));
    return isOutsider && type === 'Animal' && value !== null ? { id: (value as Thing).id } : value;
  };
  const resolverOf = (field: Field) => (thing: Thing & Reference, given: Arguments) => {
    // Fields that another subgraph has taken over are not requested here, and required ones come with the reference.
    if (field.overrides === subgraph) return -1;
    if (field.requires !== undefined) return values.made(thing[field.requires] as number | null);
    return toResult(values.of(thing.id, field, given), field.type);
  };
  const resolvers = {
    Query: Object.fromEntries(
      roots.map((field) => [field.name, () => toResult(values.relation('Query', field), field.type)]),
    ),
    ...Object.fromEntries(
      known.map(({ name, fields, keys }) => [
        name,
        {
          ...(keys.get(subgraph)?.includes('code') === true && { code: ({ id }: Thing) => `code-${id}` }),
          ...Object.fromEntries(fields.filter(isHere).map((field) => [field.name, resolverOf(field)])),
          ...Object.fromEntries(
            plan.providedBy(subgraph, name).map((field) => [field, ({ id }: Thing) => values.scalar(id, field)]),
          ),
        },
      ]),
    ),
    ...(isOutsider && { Animal: { k: ({ id }: Thing) => values.scalar(id, 'k') } }),
  };
  const idOf = ({ id, code }: Reference): string => (id ?? String(code).slice('code-'.length)) as string;
  const typeOfId = (id: string): string => entities.find(({ name }) => name[0] === id[0])?.name ?? '';
  const toThing = (reference: Reference): Reference => {
    const id = idOf(reference);
    return {
      ...reference,
      id,
      ...(isOutsider && reference['__typename'] === 'Animal' ? {} : { __typename: typeOfId(id) }),
    };
  };
  const isEntity = hasAnimals && outsider !== undefined;
  return {
    typeDefs,
    resolvers,
    references: Object.fromEntries(
      [...known.map(({ name }) => name), ...(isEntity ? ['Animal'] : [])].map((name) => [name, toThing]),
    ),
  };
}
