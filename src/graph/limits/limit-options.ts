/**
 * For the parser (`parseOptions.maxTokens`): the first thing that stops a hostile document, before there is a tree.
 * The longest document of ours, an operation over every field of every type, has some 600 tokens; introspection 184.
 */
export const maxTokens = 4_000;

/** What one operation may ask for. Every number is checked before anything runs. */
export interface LimitOptions {
  /** Fields inside fields. Introspection by graphql-js needs 15, a dashboard 6 to 8. */
  readonly maxDepth: number;
  /** Renamed fields. A dashboard renames a dozen of its lists; hundreds of aliases are one field asked for in bulk. */
  readonly maxAliases: number;
  /** Fields of the operation itself: each is at least one statement. A page of twenty tiles is a big page. */
  readonly maxRootFields: number;
  /** Fields once every fragment is written out where it is used: what execution walks through at least once. */
  readonly maxFields: number;
  /** `@include`, `@skip` and others: no document has a reason to carry more than a few dozen. */
  readonly maxDirectives: number;
  /** Spreads and inline fragments once every fragment is written out. */
  readonly maxFragmentUses: number;
  /** Operations of one document, only one of which runs. */
  readonly maxOperations: number;
  /** Fragments that one document defines. */
  readonly maxFragments: number;
  /** Fields, spreads and inline fragments of all operations of a document, every fragment written out. */
  readonly maxSelections: number;
  /** Lists and objects within each other in a document's arguments and defaults, and lists within each other in a type. */
  readonly maxValueDepth: number;
  /**
   * Comparisons that merging repeated fields takes (measureMerging), the one part of validation that grows with the square of a
   * document. Thirty components that each bring a fragment with the same five fields take 2,200.
   */
  readonly maxComparisons: number;
  /** How often one field may lie within itself: 2 allows products of a variant of a product, and no further circle. */
  readonly maxRecursion: number;
  /** In points, see cost-model.ts: about one per object in the answer. Four pages of 200 products with ten variants each. */
  readonly maxCost: number;
  /** Variables of one request. */
  readonly maxVariables: number;
  /** All variables as JSON text. 200 ids take 8 kB. */
  readonly maxVariableBytes: number;
  /** Lists and objects within each other: a filter has 2 or 3. */
  readonly maxVariableDepth: number;
  /** The longest list in a variable: as many ids as a page has items. */
  readonly maxVariableListLength: number;
  readonly cost: CostOptions;
}

/** The prices that an operation's cost is made of. */
export interface CostOptions {
  /** Items of a connection without `first` and `last`. */
  readonly defaultPageSize: number;
  /** Items of a list that has no page: few products have more variants. */
  readonly assumedListSize: number;
  /** Arguments that say how many items come back. */
  readonly slicingArguments: readonly string[];
  /** Arguments whose list has one entry for each item that comes back. */
  readonly batchArguments: readonly string[];
  /** Extra points by field name or by coordinate (`ProductConnection.totalCount`): a count is a statement of its own. */
  readonly fieldCosts: Readonly<Record<string, number>>;
  /** Points of introspection compared with others: it is answered from memory. */
  readonly introspectionWeight: number;
}

export const defaultLimits: LimitOptions = {
  maxDepth: 16,
  maxAliases: 50,
  maxRootFields: 20,
  maxFields: 1_000,
  maxDirectives: 50,
  maxFragmentUses: 500,
  maxOperations: 20,
  maxFragments: 100,
  maxSelections: 2_000,
  maxValueDepth: 16,
  maxComparisons: 7_500,
  maxRecursion: 2,
  maxCost: 10_000,
  maxVariables: 50,
  maxVariableBytes: 32_768,
  maxVariableDepth: 6,
  maxVariableListLength: 200,
  cost: {
    defaultPageSize: 50,
    assumedListSize: 10,
    slicingArguments: ['first', 'last'],
    batchArguments: ['ids', 'representations'],
    fieldCosts: { totalCount: 10 },
    introspectionWeight: 0.05,
  },
};
