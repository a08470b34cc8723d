/**
 * For the parser (`parseOptions.maxTokens`): the first limit that stops a malicious document, before it is parsed. Our
 * longest document, an operation over every field of every type, has some 600 tokens; introspection 184.
 */
export const maxTokens = 4_000;

/** The limits of one operation. Every number is checked before anything runs. */
export interface LimitOptions {
  /** Nested fields. Introspection by graphql-js needs 15, a dashboard 6 to 8. */
  readonly maxDepth: number;
  /** Renamed fields. A dashboard renames a dozen of its lists; hundreds of aliases are one field requested in bulk. */
  readonly maxAliases: number;
  /** Fields of the operation itself: each is at least one statement. A page of twenty tiles is a big page. */
  readonly maxRootFields: number;
  /** Fields once every fragment is written out where it is used: the minimum that execution visits. */
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
  /** Nested lists and objects in a document's arguments and defaults, and nested lists in a type. */
  readonly maxValueDepth: number;
  /**
   * Comparisons that merging repeated fields takes (measureMerging), the one part of validation that grows with the
   * square of a document. Thirty components that each bring a fragment with the same five fields take 2,200.
   */
  readonly maxComparisons: number;
  /**
   * How often one field may be nested within itself: 2 allows products of a variant of a product, and no further cycle.
   */
  readonly maxRecursion: number;
  /**
   * In points, see operation-cost.ts: about one per object in the response. Four pages of 200 products with ten
   * variants each.
   */
  readonly maxCost: number;
  /** Variables of one request. */
  readonly maxVariables: number;
  /** All variables as JSON text. 200 ids take 8 kB. */
  readonly maxVariableBytes: number;
  /** Nested lists and objects: a filter has 2 or 3. */
  readonly maxVariableDepth: number;
  /** The longest list in a variable: as many ids as a page has items. */
  readonly maxVariableListLength: number;
  readonly cost: CostOptions;
}

/** The prices that make up an operation's cost. */
export interface CostOptions {
  /** Items of a connection without `first` and `last`. */
  readonly defaultPageSize: number;
  /** Items of a list without pages: few products have more variants. */
  readonly assumedListSize: number;
  /** Arguments that state how many items are returned. */
  readonly slicingArguments: readonly string[];
  /** Arguments whose list has one entry for each item that is returned. */
  readonly batchArguments: readonly string[];
  /** Extra points by field name or by coordinate (`ProductConnection.totalCount`): a count is a separate statement. */
  readonly fieldCosts: Readonly<Record<string, number>>;
  /** Points of introspection relative to other fields: it is answered from memory. */
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
    fieldCosts: {
      totalCount: 10,
      // Each may read everything that the shop has, once.
      'Shop.orderFigures': 200,
      'Query.orderFigures': 200,
      'OrderFigures.products': 200,
      'ProductFigures.statuses': 50,
      'ProductFigures.vendors': 50,
      'ProductFigures.productTypes': 50,
      'ProductFigures.tags': 50,
      'ProductFigures.outOfStock': 50,
      'ProductFigures.stockUnknown': 50,
      'ProductFigures.priceBands': 50,
    },
    introspectionWeight: 0.05,
  },
};

/**
 * For /subgraph: a router requests all entities of a response at once, and applies its own limits to its clients. As
 * many as the largest body holds, each worth a few points.
 */
export const subgraphLimits = {
  maxCost: 60_000,
  maxVariableListLength: 5_000,
  maxVariableBytes: 262_144,
};
