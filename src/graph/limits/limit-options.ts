/**
 * For the parser (`parseOptions.maxTokens`): the first limit that stops a malicious document, before it is parsed. Our
 * longest document, an operation over every field of every type, has some 600 tokens; introspection 184.
 */
export const maxTokens = 4_000;

/** The limits of one operation. Every number is checked before anything runs. */
export const defaultLimits = {
  /** Nested fields. Introspection by graphql-js needs 15, a dashboard 6 to 8. */
  maxDepth: 16,
  /** Renamed fields. A dashboard renames a dozen of its lists; hundreds of aliases are one field requested in bulk. */
  maxAliases: 50,
  /** Fields of the operation itself: each is at least one statement. A page of twenty tiles is a big page. */
  maxRootFields: 20,
  /** Fields once every fragment is written out where it is used: the minimum that execution visits. */
  maxFields: 1_000,
  /** `@include`, `@skip` and others: no document has a reason to carry more than a few dozen. */
  maxDirectives: 50,
  /** Spreads and inline fragments once every fragment is written out. */
  maxFragmentUses: 500,
  /** Operations of one document, only one of which runs. */
  maxOperations: 20,
  /** Fragments that one document defines. */
  maxFragments: 100,
  /** Fields, spreads and inline fragments of all operations of a document, every fragment written out. */
  maxSelections: 2_000,
  /** Nested lists and objects in a document's arguments and defaults, and nested lists in a type. */
  maxValueDepth: 16,
  /**
   * Comparisons that merging repeated fields takes (measureMerging), the one part of validation that grows with the
   * square of a document. Thirty components that each bring a fragment with the same five fields take 2,200.
   */
  maxComparisons: 7_500,
  /**
   * How often one field may be nested within itself: 2 allows products of a variant of a product, and no further cycle.
   */
  maxRecursion: 2,
  /**
   * In points, see operation-cost.ts: about one per object in the response. Four pages of 200 products with ten
   * variants each.
   */
  maxCost: 10_000,
  /** Variables of one request. */
  maxVariables: 50,
  /** All variables as JSON text. 200 ids take 8 kB. */
  maxVariableBytes: 32_768,
  /** Nested lists and objects: a filter has 2 or 3. */
  maxVariableDepth: 6,
  /** The longest list in a variable: as many ids as a page has items. */
  maxVariableListLength: 200,
};

export type LimitOptions = Readonly<typeof defaultLimits>;

/**
 * For /subgraph: a router requests all entities of a response at once, and applies its own limits to its clients. As
 * many as the largest body holds, each worth a few points.
 */
export const subgraphLimits = {
  maxCost: 60_000,
  maxVariableListLength: 5_000,
  maxVariableBytes: 262_144,
};
