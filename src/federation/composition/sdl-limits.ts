import type { ASTNode, DocumentNode } from 'graphql';
import { Kind, parse, visit } from 'graphql';

/** Bounds on SDL. Composition takes time that grows with them, faster than linearly with some. */
export interface SdlLimits {
  /** As UTF-8. */
  readonly maxBytes: number;
  readonly maxTokens: number;
  /** Definitions and extensions of types. */
  readonly maxTypes: number;
  readonly maxFields: number;
  /** Of fields and directives, and the members of inputs. */
  readonly maxArguments: number;
  readonly maxEnumValues: number;
  /** Interfaces that types implement, and members of unions: each is held against the others of its type. */
  readonly maxMemberships: number;
  /** Uses of them. */
  readonly maxDirectives: number;
  /** Wrapped types and values within each other. */
  readonly maxDepth: number;
}

/** Of one subgraph. One of 2,000 types with ten fields each has 350 kB, and composes in about two seconds. */
export const subgraphSdlLimits: SdlLimits = {
  maxBytes: 1024 * 1024,
  maxTokens: 200_000,
  maxTypes: 3000,
  maxFields: 25_000,
  maxArguments: 25_000,
  maxEnumValues: 10_000,
  maxMemberships: 10_000,
  maxDirectives: 25_000,
  maxDepth: 32,
};

/** Of a supergraph that somebody supplies: as many as a few dozen such subgraphs have. */
export const supergraphSdlLimits: SdlLimits = {
  maxBytes: 16 * 1024 * 1024,
  maxTokens: 3_000_000,
  maxTypes: 20_000,
  maxFields: 150_000,
  maxArguments: 150_000,
  maxEnumValues: 100_000,
  maxMemberships: 100_000,
  maxDirectives: 500_000,
  maxDepth: 32,
};

/**
 * Parses SDL within bounds.
 * @throws Error that says which bound is exceeded, or where the syntax is wrong.
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
  visit(document, {
    enter(node) {
      const counted = countedAs(node);
      if (counted !== undefined) {
        counts[counted] += 1;
        if (counts[counted] > maxima[counted]) throw excess(counted, maxima[counted]);
      }
      memberships += membershipsOf(node);
      if (memberships > limits.maxMemberships) throw excess('interfaces and union members', limits.maxMemberships);
      if (nests(node)) depth += 1;
      if (depth > limits.maxDepth) throw excess('lists and objects within each other', limits.maxDepth);
    },
    leave(node) {
      if (nests(node)) depth -= 1;
    },
  });
  return document;
}

const excess = (what: string, limit: number): Error =>
  new Error(`the SDL has more than ${limit} ${what}; that is as much as is taken`);

const membershipsOf = (node: ASTNode): number =>
  ('interfaces' in node ? (node.interfaces?.length ?? 0) : 0) + ('types' in node ? (node.types?.length ?? 0) : 0);

const nests = ({ kind }: ASTNode): boolean => kind === Kind.LIST_TYPE || kind === Kind.LIST || kind === Kind.OBJECT;

function countedAs({ kind }: ASTNode): 'types' | 'fields' | 'arguments' | 'enum values' | 'directives' | undefined {
  if (kind === Kind.FIELD_DEFINITION) return 'fields';
  // Fields of inputs are definitions of the same kind.
  if (kind === Kind.INPUT_VALUE_DEFINITION) return 'arguments';
  if (kind === Kind.ENUM_VALUE_DEFINITION) return 'enum values';
  if (kind === Kind.DIRECTIVE) return 'directives';
  return kind.endsWith('TypeDefinition') || kind.endsWith('TypeExtension') ? 'types' : undefined;
}
