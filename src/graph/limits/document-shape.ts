import type {
  ASTNode,
  DocumentNode,
  FieldNode,
  FragmentDefinitionNode,
  OperationDefinitionNode,
  SelectionNode,
  SelectionSetNode,
} from 'graphql';
import { Kind, visit } from 'graphql';
import { fragmentsByName } from '../typed-fields';

/** Measures of an operation that follow from its syntax alone, with every fragment written out where it is used. */
export type OperationShape = Readonly<Counts>;

const emptyShape = {
  depth: 0,
  fields: 0,
  rootFields: 0,
  aliases: 0,
  directives: 0,
  /** Spreads and inline fragments. */
  fragmentUses: 0,
};
const names = Object.keys(emptyShape) as (keyof OperationShape)[];

type Counts = typeof emptyShape;

/** Measures of a whole document that follow from its syntax alone: the input of `validate`. */
export interface DocumentShape {
  readonly operations: ReadonlyMap<OperationDefinitionNode, OperationShape>;
  readonly operationCount: number;
  readonly fragmentCount: number;
  /** Of the operation that defines most. */
  readonly variableDefinitions: number;
  /** Nested lists and objects in an argument or a default, or nested lists in a type. */
  readonly valueDepth: number;
  /** Fields, spreads and inline fragments of all operations and of all fragments that no operation uses. */
  readonly selections: number;
  /** AST nodes: the memory that the document takes. */
  readonly nodes: number;
  /**
   * A fragment uses itself, or two have the same name: then the sums above are meaningless, and `validate` must not run
   * on the document.
   */
  readonly hasBrokenFragments: boolean;
}

interface Definition {
  readonly own: Counts;
  /** The depth of each spread: 0 at the top. */
  readonly spreads: { readonly name: string; readonly level: number }[];
}

/**
 * Measures a parsed document before anything that is not linear processes it: one pass over its nodes; then each
 * fragment is summed once, so sums of fragments that double each other may become Infinity.
 */
export function measureDocument(document: DocumentNode): DocumentShape {
  const operations = new Map<OperationDefinitionNode, Definition>();
  const fragments = new Map<string, Definition>();
  const used = new Set<string>();
  let definition: Definition = { own: { ...emptyShape }, spreads: [] };
  let [nodes, level, nesting, valueDepth, variableDefinitions, hasBrokenFragments] = [0, 0, 0, 0, 0, false];
  visit(document, {
    enter(node) {
      nodes += 1;
      const { own, spreads } = definition;
      if (node.kind === Kind.FIELD) {
        own.fields += 1;
        own.rootFields += level === 0 ? 1 : 0;
        own.aliases += node.alias === undefined ? 0 : 1;
        level += 1;
        own.depth = Math.max(own.depth, level);
      } else if (node.kind === Kind.FRAGMENT_SPREAD) {
        own.fragmentUses += 1;
        used.add(node.name.value);
        spreads.push({ name: node.name.value, level });
      } else if (node.kind === Kind.INLINE_FRAGMENT) own.fragmentUses += 1;
      else if (node.kind === Kind.DIRECTIVE) own.directives += 1;
      else if (isNesting(node)) valueDepth = Math.max(valueDepth, (nesting += 1));
      else if (node.kind === Kind.FRAGMENT_DEFINITION) {
        hasBrokenFragments ||= fragments.has(node.name.value);
        fragments.set(node.name.value, (definition = { own: { ...emptyShape }, spreads: [] }));
      } else if (node.kind === Kind.OPERATION_DEFINITION) {
        operations.set(node, (definition = { own: { ...emptyShape }, spreads: [] }));
        variableDefinitions = Math.max(variableDefinitions, node.variableDefinitions?.length ?? 0);
      }
    },
    leave(node) {
      if (node.kind === Kind.FIELD) level -= 1;
      else if (isNesting(node)) nesting -= 1;
    },
  });

  const sums = sumFragments(fragments);
  hasBrokenFragments ||= sums === undefined;
  const measured = new Map([...operations].map(([operation, each]) => [operation, sumUp(each, sums ?? new Map())]));
  const unused = [...(sums ?? [])].flatMap(([name, sum]) => (used.has(name) ? [] : [sum]));
  return {
    operations: measured,
    operationCount: operations.size,
    fragmentCount: fragments.size,
    variableDefinitions,
    valueDepth,
    selections: [...measured.values(), ...unused].reduce((sum, shape) => sum + shape.fields + shape.fragmentUses, 0),
    nodes,
    hasBrokenFragments,
  };
}

/** Each after those that it uses, with a stack of its own: chains may be long. @returns undefined if one uses itself */
function sumFragments(fragments: ReadonlyMap<string, Definition>): ReadonlyMap<string, OperationShape> | undefined {
  const sums = new Map<string, OperationShape>();
  const open = new Set<string>();
  for (const start of fragments.keys()) {
    const stack = [start];
    for (let name = stack.at(-1); name !== undefined; name = stack.at(-1)) {
      const fragment = fragments.get(name);
      const used = fragment && !sums.has(name) ? fragment.spreads.map((spread) => spread.name) : [];
      // A fragment that does not exist selects nothing; `validate` reports it.
      const unsummed = used.filter((each) => fragments.has(each) && !sums.has(each));
      if (unsummed.length === 0) {
        if (fragment && !sums.has(name)) sums.set(name, sumUp(fragment, sums));
        stack.pop();
      } else if (open.has(name)) return undefined;
      else {
        open.add(name);
        stack.push(...unsummed);
      }
    }
  }
  return sums;
}

function sumUp({ own, spreads }: Definition, fragments: ReadonlyMap<string, OperationShape>): OperationShape {
  const total = { ...own };
  for (const { name, level } of spreads) {
    const sum = fragments.get(name) ?? emptyShape;
    for (const measure of names) {
      if (measure === 'depth') total.depth = Math.max(total.depth, level + sum.depth);
      else if (measure !== 'rootFields' || level === 0) total[measure] += sum[measure];
    }
  }
  return total;
}

const isNesting = ({ kind }: ASTNode): boolean => kind === Kind.LIST || kind === Kind.OBJECT || kind === Kind.LIST_TYPE;

interface MergeEffort {
  /**
   * Comparisons of fields that GraphQL's rule "Field Selection Merging" needs: each field of an object with each other
   * one of the same response name, once for itself and once more for each value in its arguments.
   */
  readonly comparisons: number;
  /**
   * The response name that needs most of them, from the root down, such as `products.nodes`; how often it is selected.
   */
  readonly path: string;
  readonly count: number;
}

/**
 * Writes a document's operations out, merged as in a response, and counts the fields of each object of a response.
 * Takes as many steps as the document has selections with fragments written out: call it only once that number is known
 * to be small and no fragment uses itself.
 */
export function measureMerging(document: DocumentNode): MergeEffort {
  const fragments = fragmentsByName(document);
  const used = new Set<string>();
  let [comparisons, largest, path, count] = [0, 0, '', 0];

  const measure = (selectionSets: readonly SelectionSetNode[], above: string): void => {
    if (selectionSets.length === 0) return;
    for (const [name, fields] of fieldsOf(selectionSets, fragments, used)) {
      const here = `${above}${name}`;
      const values = fields.size === 1 ? 0 : [...fields].reduce((sum, field) => sum + weightOf(field), 0);
      const needed = ((fields.size - 1) * values) / 2;
      comparisons += needed;
      if (needed > largest) [largest, path, count] = [needed, here, fields.size];
      measure(
        [...fields].flatMap(({ selectionSet }) => selectionSet ?? []),
        `${here}.`,
      );
    }
  };

  for (const definition of document.definitions) {
    if (definition.kind === Kind.OPERATION_DEFINITION) measure([definition.selectionSet], '');
  }
  // In document order: a fragment is measured again for each use by another one.
  for (const [name, { selectionSet }] of fragments) if (!used.has(name)) measure([selectionSet], '');
  return { comparisons, path, count };
}

/** The fields of one place by response name, fragments written out, each field once. */
function fieldsOf(
  selectionSets: readonly SelectionSetNode[],
  fragments: ReadonlyMap<string, FragmentDefinitionNode>,
  used: Set<string>,
): ReadonlyMap<string, ReadonlySet<FieldNode>> {
  const fields = new Map<string, Set<FieldNode>>();
  const seen = new Set<string>();
  const add = (selections: readonly SelectionNode[] = []): void => {
    for (const selection of selections) {
      if (selection.kind === Kind.FIELD) {
        const name = (selection.alias ?? selection.name).value;
        fields.set(name, (fields.get(name) ?? new Set()).add(selection));
      } else if (selection.kind === Kind.INLINE_FRAGMENT) add(selection.selectionSet.selections);
      else if (!seen.has(selection.name.value)) {
        seen.add(selection.name.value);
        used.add(selection.name.value);
        add(fragments.get(selection.name.value)?.selectionSet.selections);
      }
    }
  };
  for (const { selections } of selectionSets) add(selections);
  return fields;
}

/** Measured: comparing a node of an argument takes five times as long as comparing two fields without any. */
const argumentWeight = 5;

/** The cost of comparing a field with another one: arguments are sorted and printed each time. */
function weightOf({ arguments: given = [], directives = [] }: FieldNode): number {
  let weight = 1;
  for (const node of [...given, ...directives]) visit(node, { enter: () => void (weight += argumentWeight) });
  return weight;
}
