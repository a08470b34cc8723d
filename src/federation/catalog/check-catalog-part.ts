import type {
  ConstDirectiveNode,
  DocumentNode,
  FieldDefinitionNode,
  InputValueDefinitionNode,
  ObjectTypeDefinitionNode,
  TypeDefinitionNode,
} from 'graphql';
import { isTypeDefinitionNode, Kind, print, valueFromASTUntyped } from 'graphql';
import type { Annotated, FieldsOwner } from '../sdl-nodes';
import { argumentOf, directivesOf, flagOf, hasFields, namedType, textOf, visitFieldSet } from '../sdl-nodes';
import { supergraphGraphs } from '../supergraph/supergraph-graphs';

/** The catalog's name in every supergraph, composed here or elsewhere. */
export const catalogName = 'catalog';

/** The subgraph of this process that finds nodes across the others, and overrides `node` and `nodes`. */
export const nodesName = 'nodes';

/**
 * Finds everything that would make /graphql differ from REST (docs/decisions.md 18): the catalog's part of a supergraph
 * must be the catalog's own. Only the catalog answers its fields, they have its types, arguments and scopes, and no
 * subgraph hides them. Other subgraphs may add types, fields and implementations of Node, refer to the catalog's
 * objects by `id`, and share the types that are meant to be shared.
 * @param catalog the SDL that the catalog publishes
 * @param isComposedHere Whether all of the catalog must be there, and nodes may be found here. A supergraph that was
 * composed elsewhere may hide a part of the catalog.
 * @returns one line per problem
 */
export function catalogPartProblems(
  supergraph: DocumentNode,
  catalog: DocumentNode,
  isComposedHere: boolean,
): readonly string[] {
  const keyOf = (graph: string) => supergraphGraphs(supergraph).find(({ name }) => name === graph)?.key;
  const key = keyOf(catalogName);
  if (key === undefined) return [`there is no subgraph "${catalogName}"`];
  return new CatalogPartCheck(
    supergraph,
    catalog,
    key,
    isComposedHere ? keyOf(nodesName) : undefined,
    isComposedHere,
  ).problems();
}

class CatalogPartCheck {
  readonly #types = new Map<string, TypeDefinitionNode>();
  readonly #own: readonly TypeDefinitionNode[];
  /** `Type.field` that only the catalog may answer. */
  readonly #exclusive = new Set<string>();
  readonly #problems: string[] = [];

  constructor(
    supergraph: DocumentNode,
    catalog: DocumentNode,
    readonly key: string,
    readonly nodesKey: string | undefined,
    readonly isWhole: boolean,
  ) {
    for (const type of supergraph.definitions.filter(isTypeDefinitionNode)) this.#types.set(type.name.value, type);
    this.#own = catalog.definitions.filter(isTypeDefinitionNode);
    for (const type of this.#own) {
      if (type.kind !== Kind.OBJECT_TYPE_DEFINITION || has(type, 'shareable')) continue;
      for (const field of type.fields ?? []) {
        if (!isKey(type, field) && !has(field, 'shareable'))
          this.#exclusive.add(`${type.name.value}.${field.name.value}`);
      }
    }
  }

  problems(): readonly string[] {
    for (const type of this.#own) this.#checkType(type);
    for (const type of this.#types.values()) if (hasFields(type)) this.#checkProvides(type);
    return this.#problems;
  }

  #checkType(own: TypeDefinitionNode): void {
    const name = own.name.value;
    const type = this.#types.get(name);
    if (type === undefined) return this.#missing(name);
    if (type.kind !== own.kind) return this.#report(`${name} has a different kind`);
    this.#checkDirectives(name, own, type);
    if (directivesOf(type, 'join__type').some((join) => flagOf(join, 'isInterfaceObject'))) {
      this.#report(`${name} is an @interfaceObject in another subgraph`);
    }
    if (hasFields(own) && hasFields(type)) this.#checkFields(own, type);
    else if (own.kind === Kind.INPUT_OBJECT_TYPE_DEFINITION && type.kind === own.kind) {
      this.#checkMembers(name, own.fields ?? [], type.fields ?? []);
    } else if (own.kind === Kind.ENUM_TYPE_DEFINITION && type.kind === own.kind) {
      this.#checkNames(name, own.values ?? [], type.values ?? []);
    }
  }

  #checkFields(own: FieldsOwner, type: FieldsOwner): void {
    const name = own.name.value;
    const fields = new Map(type.fields?.map((field) => [field.name.value, field]));
    for (const field of own.fields ?? []) {
      const path = `${name}.${field.name.value}`;
      const found = fields.get(field.name.value);
      if (found === undefined) {
        this.#missing(path);
        continue;
      }
      if (print(found.type) !== print(field.type)) {
        this.#report(`${path} would have type ${print(found.type)} instead of ${print(field.type)}`);
      }
      this.#checkDirectives(path, field, found);
      this.#checkMembers(`${path}(…)`, field.arguments ?? [], found.arguments ?? []);
      if (this.#exclusive.has(path)) this.#checkOwner(path, type, found);
      else this.#checkShared(path, type, found);
    }
    if (own.kind === Kind.INTERFACE_TYPE_DEFINITION) {
      for (const field of fields.keys()) {
        if (!own.fields?.some((other) => other.name.value === field))
          this.#report(`${name} would have a field ${field}`);
      }
    }
    if (has(own, 'key')) this.#checkKeys(own, type);
  }

  /** Checks a field that only the catalog answers. */
  #checkOwner(path: string, type: FieldsOwner, field: FieldDefinitionNode): void {
    const joins = directivesOf(field, 'join__field');
    if (this.#isTakenOverForNodes(path, joins)) return;
    const answering = answeringGraphs(type, joins);
    const others = [...new Set(answering)].filter((graph) => graph !== this.key);
    if (others.length > 0)
      this.#report(`${path} would be resolved by ${others.map((graph) => graph ?? 'others').join(', ')}`);
    if (!answering.includes(this.key) || joins.some(isHandedOver))
      this.#report(`${path} would no longer be resolved by the catalog`);
  }

  /** Checks a field that other subgraphs may answer as well, but not instead. */
  #checkShared(path: string, type: FieldsOwner, field: FieldDefinitionNode): void {
    const joins = directivesOf(field, 'join__field');
    if (!answeringGraphs(type, joins).includes(this.key) || joins.some(isHandedOver))
      this.#report(`${path} would no longer be resolved by the catalog`);
  }

  #isTakenOverForNodes(path: string, joins: readonly ConstDirectiveNode[]): boolean {
    if (this.nodesKey === undefined || (path !== 'Query.node' && path !== 'Query.nodes')) return false;
    return joins.every((join) => {
      const graph = textOf(join, 'graph');
      return graph === this.nodesKey || (graph === this.key && flagOf(join, 'usedOverridden'));
    });
  }

  /** Other subgraphs identify the catalog's objects by `id`, or by fields of their own. */
  #checkKeys(own: FieldsOwner, type: FieldsOwner): void {
    for (const join of directivesOf(type, 'join__type')) {
      if (textOf(join, 'graph') === this.key) continue;
      this.#walkFieldSet(textOf(join, 'key'), own.name.value, (path) =>
        this.#report(`${path} would be part of a key of ${textOf(join, 'graph')}`),
      );
    }
  }

  /** `@provides` lets a subgraph answer another's field on paths that lead there. */
  #checkProvides(type: FieldsOwner): void {
    for (const field of type.fields ?? []) {
      for (const join of directivesOf(field, 'join__field')) {
        if (textOf(join, 'graph') === this.key) continue;
        this.#walkFieldSet(textOf(join, 'provides'), namedType(field.type), (path) =>
          this.#report(
            `${path} would be provided by ${textOf(join, 'graph')} at ${type.name.value}.${field.name.value}`,
          ),
        );
      }
    }
  }

  /** Visits the exclusive fields in a field set, such as `id owner { name }`. */
  #walkFieldSet(fieldSet: string | undefined, typeName: string, found: (path: string) => void): void {
    visitFieldSet(fieldSet, typeName, this.#types, (parent, field) => {
      const path = `${parent}.${field}`;
      if (this.#exclusive.has(path)) found(path);
    });
  }

  /** Checks arguments, or members of an input. */
  #checkMembers(
    path: string,
    own: readonly InputValueDefinitionNode[],
    found: readonly InputValueDefinitionNode[],
  ): void {
    this.#checkNames(path, own, found);
    for (const member of own) {
      const other = found.find(({ name }) => name.value === member.name.value);
      if (other !== undefined && signature(other) !== signature(member)) {
        this.#report(`${path} would take ${signature(other)} instead of ${signature(member)}`);
      }
    }
  }

  #checkNames(path: string, own: readonly Named[], found: readonly Named[]): void {
    const names = new Set(found.map(({ name }) => name.value));
    for (const { name } of own) if (!names.delete(name.value)) this.#missing(`${path} ${name.value}`);
    for (const name of names) this.#report(`${path} would have ${name}, which the catalog does not define`);
    for (const member of found) if (has(member, 'inaccessible')) this.#missing(`${path} ${member.name.value}`);
  }

  #checkDirectives(path: string, own: Annotated, found: Annotated): void {
    if (has(found, 'inaccessible')) this.#missing(path);
    if (authorization(own) !== authorization(found))
      this.#report(
        `${path} would have different authorization requirements (@authenticated, @requiresScopes or @policy)`,
      );
  }

  #missing(path: string): void {
    if (this.isWhole) this.#report(`${path} would be missing`);
  }

  #report(problem: string): void {
    this.#problems.push(problem);
  }
}

type Named = Annotated & { readonly name: { readonly value: string } };

const has = (node: Annotated, name: string): boolean => directivesOf(node, name).length > 0;

const isKey = (type: ObjectTypeDefinitionNode, field: FieldDefinitionNode): boolean =>
  field.name.value === 'id' && has(type, 'key');

/** Without `@join__field` every subgraph of a type answers its field. */
const answeringGraphs = (type: FieldsOwner, joins: readonly ConstDirectiveNode[]): readonly (string | undefined)[] =>
  (joins.length === 0 ? directivesOf(type, 'join__type') : joins.filter((join) => !flagOf(join, 'external'))).map(
    (join) => textOf(join, 'graph'),
  );

/** An `@override`, with or without a label, as composers write it. */
const isHandedOver = (join: ConstDirectiveNode): boolean =>
  flagOf(join, 'usedOverridden') ||
  textOf(join, 'override') !== undefined ||
  textOf(join, 'overrideLabel') !== undefined;

const signature = ({ name, type, defaultValue }: InputValueDefinitionNode): string =>
  `${name.value}: ${print(type)}${defaultValue === undefined ? '' : ` = ${print(defaultValue)}`}`;

const authorizing: ReadonlySet<string> = new Set(['requiresScopes', 'authenticated', 'policy']);

/** The requirements of a node, independent of their order. */
const authorization = ({ directives = [] }: Annotated): string =>
  directives
    .filter(({ name }) => authorizing.has(name.value))
    .map((directive) => `${directive.name.value} ${alternatives(directive)}`)
    .sort()
    .join();

function alternatives(directive: ConstDirectiveNode): string {
  const node = argumentOf(directive, 'scopes') ?? argumentOf(directive, 'policies');
  const value: unknown = node === undefined ? [] : valueFromASTUntyped(node);
  // A single value stands for a list of it (GraphQL 3.11).
  const sets = [value].flat().map((all) => [all].flat().map(String).sort().join('&'));
  return sets.sort().join('|');
}
