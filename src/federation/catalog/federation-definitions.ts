import type { DefinitionNode } from 'graphql';
import { Kind, parse } from 'graphql';
import type { FederationLink } from './federation-link';

const security = 'FIELD_DEFINITION | OBJECT | INTERFACE | SCALAR | ENUM';
const anywhere =
  'FIELD_DEFINITION | INTERFACE | OBJECT | UNION | ARGUMENT_DEFINITION | SCALAR | ENUM | ENUM_VALUE | INPUT_OBJECT | INPUT_FIELD_DEFINITION';
const forever = Number.POSITIVE_INFINITY;

/**
 * The Federation 2 elements: first and last minor version that has them, and their definition.
 * https://www.apollographql.com/docs/graphos/schema-design/federated-schemas/reference/versions
 */
const elements: readonly (readonly [since: number, until: number, sdl: string])[] = [
  [0, forever, 'scalar FieldSet'],
  [0, forever, 'directive @key(fields: FieldSet!, resolvable: Boolean = true) repeatable on OBJECT | INTERFACE'],
  [0, forever, 'directive @requires(fields: FieldSet!) on FIELD_DEFINITION'],
  [0, forever, 'directive @provides(fields: FieldSet!) on FIELD_DEFINITION'],
  [0, forever, 'directive @external on OBJECT | FIELD_DEFINITION'],
  [0, forever, 'directive @extends on OBJECT | INTERFACE'],
  [0, forever, `directive @inaccessible on ${anywhere}`],
  [0, 1, 'directive @shareable on OBJECT | FIELD_DEFINITION'],
  [2, forever, 'directive @shareable repeatable on OBJECT | FIELD_DEFINITION'],
  [0, 6, 'directive @override(from: String!) on FIELD_DEFINITION'],
  [7, forever, 'directive @override(from: String!, label: String) on FIELD_DEFINITION'],
  [0, 2, `directive @tag(name: String!) repeatable on ${anywhere}`],
  [3, forever, `directive @tag(name: String!) repeatable on ${anywhere} | SCHEMA`],
  [1, forever, 'directive @composeDirective(name: String!) repeatable on SCHEMA'],
  [3, forever, 'directive @interfaceObject on OBJECT'],
  [5, forever, 'scalar Scope'],
  [5, forever, `directive @authenticated on ${security}`],
  [5, forever, `directive @requiresScopes(scopes: [[Scope!]!]!) on ${security}`],
  [6, forever, 'scalar Policy'],
  [6, forever, `directive @policy(policies: [[Policy!]!]!) on ${security}`],
  [8, forever, 'scalar ContextFieldValue'],
  [8, forever, 'directive @context(name: String!) repeatable on INTERFACE | OBJECT | UNION'],
  [8, forever, 'directive @fromContext(field: ContextFieldValue) on ARGUMENT_DEFINITION'],
  [
    9,
    forever,
    'directive @cost(weight: Int!) on ARGUMENT_DEFINITION | ENUM | FIELD_DEFINITION | INPUT_FIELD_DEFINITION | OBJECT | SCALAR',
  ],
  [
    9,
    forever,
    'directive @listSize(assumedSize: Int, slicingArguments: [String!], sizedFields: [String!], requireOneSlicingArgument: Boolean = true) on FIELD_DEFINITION',
  ],
];

const linkElements = `
directive @link(url: String!, as: String, for: link__Purpose, import: [link__Import]) repeatable on SCHEMA
scalar link__Import
enum link__Purpose { SECURITY EXECUTION }`;

/** The definitions that a linked subgraph may omit from its SDL, under the names that its `@link` gives them. */
export function federationDefinitions(link: FederationLink): readonly DefinitionNode[] {
  const sdl = elements
    .filter(([since, until]) => since <= link.minorVersion && link.minorVersion <= until)
    .map(([, , definition]) => rename(definition, link));
  return parse([linkElements, ...sdl].join('\n'), { noLocation: true }).definitions;
}

/** Distinguishes a directive from a type of the same name. */
export function definitionKey(definition: DefinitionNode): string | undefined {
  if (!('name' in definition) || definition.name === undefined) return undefined;
  return definition.kind === Kind.DIRECTIVE_DEFINITION ? `@${definition.name.value}` : definition.name.value;
}

const rename = (definition: string, link: FederationLink): string =>
  definition
    .replace(/^directive @(\w+)/, (_, name: string) => `directive ${link.nameOf(`@${name}`)}`)
    .replace(/\b(FieldSet|Scope|Policy|ContextFieldValue)\b/g, (name) => link.nameOf(name));
