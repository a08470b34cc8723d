import type { ASTNode, DocumentNode, ValueNode } from 'graphql';
import { Kind, parse, visit } from 'graphql';

/** For one subgraph. A subgraph with 2,000 types of ten fields each takes 350 kB, and composes in about two seconds. */
export const subgraphSdlLimits = {
  /** As UTF-8. */
  maxBytes: 1024 * 1024,
  maxTokens: 200_000,
  /** Definitions and extensions of types. */
  maxTypes: 3000,
  maxFields: 25_000,
  /** Arguments of fields and directives, and members of inputs. */
  maxArguments: 25_000,
  maxEnumValues: 10_000,
  /** Interfaces that types implement, and members of unions: each is compared with the others of its type. */
  maxMemberships: 10_000,
  /** Types that implement one interface: with keys, each is compared with all others. */
  maxImplementations: 500,
  /** Uses of directives. */
  maxDirectives: 25_000,
  /** On one type, field or other element, such as the keys of an entity. */
  maxDirectivesOfOne: 500,
  /** Nesting of wrapped types and values. */
  maxDepth: 32,
  /** Nesting of selections in a field set, such as the `fields` of `@key`. The composer recurses for each level. */
  maxFieldSetDepth: 16,
  /** Fields and types in one field set. */
  maxFieldSetNames: 500,
  /** Fields and types in all field sets together. */
  maxNamesInFieldSets: 20_000,
};

/** Bounds on SDL. Composition time grows with each, with some of them faster than linearly. */
type SdlLimits = typeof subgraphSdlLimits;

/** For a supergraph composed elsewhere: as much as a few dozen such subgraphs have. */
export const supergraphSdlLimits: SdlLimits = {
  maxBytes: 16 * 1024 * 1024,
  maxTokens: 3_000_000,
  maxTypes: 20_000,
  maxFields: 150_000,
  maxArguments: 150_000,
  maxEnumValues: 100_000,
  maxMemberships: 100_000,
  maxImplementations: 5000,
  maxDirectives: 500_000,
  maxDirectivesOfOne: 50_000,
  maxDepth: 32,
  maxFieldSetDepth: 16,
  maxFieldSetNames: 500,
  maxNamesInFieldSets: 1_000_000,
};

/**
 * Parses SDL within bounds.
 * @throws Error that reports which bound is exceeded, or where the syntax is wrong.
 */
export function parseBoundedSdl(sdl: string, limits: SdlLimits): DocumentNode {
  if (Buffer.byteLength(sdl) > limits.maxBytes) throw excess('bytes', limits.maxBytes);
  const document = parse(sdl, { noLocation: true, maxTokens: limits.maxTokens });
  const counts = { types: 0, fields: 0, arguments: 0, 'enum values': 0, directives: 0 };
  const maxima: Record<keyof typeof counts, number> = {
    types: limits.maxTypes,
    fields: limits.maxFields,
    arguments: limits.maxArguments,
    'enum values': limits.maxEnumValues,
    directives: limits.maxDirectives,
  };
  let depth = 0;
  let memberships = 0;
  let namesInFieldSets = 0;
  const implementations = new Map<string, number>();
  visit(document, {
    enter(node) {
      const counted = countedAs(node);
      if (counted !== undefined) {
        counts[counted] += 1;
        if (counts[counted] > maxima[counted]) throw excess(counted, maxima[counted]);
      }
      if ('directives' in node && (node.directives?.length ?? 0) > limits.maxDirectivesOfOne)
        throw excess('directives in one location', limits.maxDirectivesOfOne);
      if (node.kind === Kind.ARGUMENT && fieldSetArguments.has(node.name.value)) {
        namesInFieldSets += checkFieldSet(node.value, limits);
        if (namesInFieldSets > limits.maxNamesInFieldSets)
          throw excess('names in field sets', limits.maxNamesInFieldSets);
      }
      for (const { name } of 'interfaces' in node ? (node.interfaces ?? []) : []) {
        const count = (implementations.get(name.value) ?? 0) + 1;
        implementations.set(name.value, count);
        if (count > limits.maxImplementations)
          throw excess('types that implement one interface', limits.maxImplementations);
      }
      memberships += membershipsOf(node);
      if (memberships > limits.maxMemberships) throw excess('interfaces and union members', limits.maxMemberships);
      if (nests(node)) depth += 1;
      if (depth > limits.maxDepth) throw excess('levels of nested lists and objects', limits.maxDepth);
    },
    leave(node) {
      if (nests(node)) depth -= 1;
    },
  });
  return document;
}

/**
 * Arguments of `@key`, `@requires` and `@provides` under any name, of `@fromContext`, and of their forms in a
 * supergraph.
 */
const fieldSetArguments: ReadonlySet<string> = new Set(['fields', 'field', 'key', 'requires', 'provides']);

/** Scans only the text, in one pass: a malicious field set may be aimed at a parser. @returns its number of names */
function checkFieldSet(value: ValueNode, limits: SdlLimits): number {
  if (value.kind === Kind.LIST) return sum(value.values.map((item) => checkFieldSet(item, limits)));
  if (value.kind !== Kind.STRING) return 0;
  let depth = 0;
  for (const [brace] of value.value.matchAll(/[{}]/g)) {
    depth += brace === '{' ? 1 : -1;
    if (depth > limits.maxFieldSetDepth)
      throw excess('levels of nested selections in a field set', limits.maxFieldSetDepth);
  }
  let names = 0;
  for (const _ of value.value.matchAll(/[\w.]+/g)) {
    names += 1;
    if (names > limits.maxFieldSetNames) throw excess('names in a single field set', limits.maxFieldSetNames);
  }
  return names;
}

const sum = (numbers: readonly number[]): number => numbers.reduce((total, number) => total + number, 0);

const excess = (what: string, limit: number): Error => new Error(`the SDL has more than ${limit} ${what}`);

const membershipsOf = (node: ASTNode): number =>
  ('interfaces' in node ? (node.interfaces?.length ?? 0) : 0) + ('types' in node ? (node.types?.length ?? 0) : 0);

const nests = ({ kind }: ASTNode): boolean => kind === Kind.LIST_TYPE || kind === Kind.LIST || kind === Kind.OBJECT;

function countedAs({ kind }: ASTNode): 'types' | 'fields' | 'arguments' | 'enum values' | 'directives' | undefined {
  if (kind === Kind.FIELD_DEFINITION) return 'fields';
  // Fields of inputs have the same kind.
  if (kind === Kind.INPUT_VALUE_DEFINITION) return 'arguments';
  if (kind === Kind.ENUM_VALUE_DEFINITION) return 'enum values';
  if (kind === Kind.DIRECTIVE) return 'directives';
  return kind.endsWith('TypeDefinition') || kind.endsWith('TypeExtension') ? 'types' : undefined;
}
