import type {
  ArgumentNode,
  DirectiveNode,
  DocumentNode,
  FieldNode,
  FragmentDefinitionNode,
  OperationDefinitionNode,
  SelectionSetNode,
  TypeNode,
  ValueNode,
} from 'graphql';
import { Kind } from 'graphql';
import { fragmentsByName } from '../fragments';

/** Measures of an operation that follow from its syntax alone, with every fragment written out where it is used. */
export interface OperationShape {
  readonly depth: number;
  readonly fields: number;
  readonly rootFields: number;
  readonly aliases: number;
  readonly directives: number;
  /** Spreads and inline fragments. */
  readonly fragmentUses: number;
}

/** Measures of a whole document that follow from its syntax alone: the input of `validate`. */
export interface DocumentShape {
  readonly operations: ReadonlyMap<OperationDefinitionNode, OperationShape>;
  readonly fragmentCount: number;
  /** Of the operation that defines most. */
  readonly variableDefinitions: number;
  /** Nested lists and objects in an argument or a default, or nested lists in a type. */
  readonly valueDepth: number;
  /** Fields, spreads and inline fragments of all operations and of all fragments that no operation uses. */
  readonly selections: number;
  /** AST nodes, approximately: the memory that the document takes. */
  readonly nodes: number;
  /**
   * A fragment uses itself, or two have the same name: then the sums above are meaningless, and `validate` must not run
   * on the document.
   */
  readonly hasBrokenFragments: boolean;
  /** Steps that the measuring took: linear in the document, for the tests that check this. */
  readonly steps: number;
}

/** The shape of an operation without fields. */
export const emptyShape: OperationShape = {
  depth: 0,
  fields: 0,
  rootFields: 0,
  aliases: 0,
  directives: 0,
  fragmentUses: 0,
};
const names = Object.keys(emptyShape) as (keyof OperationShape)[];

type Sums = { -readonly [Name in keyof OperationShape]: number };

interface ScannedDefinition {
  readonly own: Sums;
  /** The depth of each spread: 0 at the top. */
  readonly spreads: readonly { readonly name: string; readonly level: number }[];
}

/**
 * Measures a parsed document before anything that is not linear processes it. Each definition is visited once; each
 * fragment is summed once, after the fragments that it uses, so sums of fragments that double each other may become
 * Infinity. Nothing here recurses: no nesting can exhaust the stack.
 */
export function measureDocument(document: DocumentNode): DocumentShape {
  const counter = { steps: 0, nodes: 0, valueDepth: 0 };
  const fragments = new Map<string, ScannedDefinition>();
  const operations: [OperationDefinitionNode, ScannedDefinition][] = [];
  let hasBrokenFragments = false;
  let variableDefinitions = 0;
  for (const definition of document.definitions) {
    if (definition.kind === Kind.FRAGMENT_DEFINITION) {
      hasBrokenFragments ||= fragments.has(definition.name.value);
      fragments.set(definition.name.value, scan(definition, counter));
    } else if (definition.kind === Kind.OPERATION_DEFINITION) {
      const definitions = definition.variableDefinitions ?? [];
      variableDefinitions = Math.max(variableDefinitions, definitions.length);
      for (const { type, defaultValue, directives } of definitions) {
        counter.nodes += 4;
        countType(type, counter);
        if (defaultValue) countValue(defaultValue, counter);
        countDirectives(directives, counter);
      }
      operations.push([definition, scan(definition, counter)]);
    }
  }
  const sums = sumFragments(fragments);
  hasBrokenFragments ||= sums === undefined;
  const used = new Set<string>([...fragments.values(), ...operations.map(([, scanned]) => scanned)].flatMap(namesUsed));
  const measured = new Map(operations.map(([operation, scanned]) => [operation, sumUp(scanned, sums ?? new Map())]));
  const unused = [...fragments.keys()].filter((name) => !used.has(name)).flatMap((name) => sums?.get(name) ?? []);
  return {
    operations: measured,
    fragmentCount: fragments.size,
    variableDefinitions,
    valueDepth: counter.valueDepth,
    selections: [...measured.values(), ...unused].reduce((sum, shape) => sum + shape.fields + shape.fragmentUses, 0),
    nodes: counter.nodes,
    hasBrokenFragments,
    steps: counter.steps,
  };
}

interface Counter {
  steps: number;
  nodes: number;
  valueDepth: number;
}

const namesUsed = ({ spreads }: ScannedDefinition): string[] => spreads.map(({ name }) => name);

/** One definition, with its inline fragments but without the contents of its spreads. */
function scan(definition: OperationDefinitionNode | FragmentDefinitionNode, counter: Counter): ScannedDefinition {
  const own: Sums = { ...emptyShape };
  const spreads: { name: string; level: number }[] = [];
  counter.nodes += 3;
  own.directives += countDirectives(definition.directives, counter);
  const open: { readonly selectionSet: SelectionSetNode; readonly level: number }[] = [
    { selectionSet: definition.selectionSet, level: 0 },
  ];
  for (let next = open.pop(); next !== undefined; next = open.pop()) {
    const { level } = next;
    counter.nodes += 1;
    for (const selection of next.selectionSet.selections) {
      counter.steps += 1;
      counter.nodes += 2;
      own.directives += countDirectives(selection.directives, counter);
      if (selection.kind === Kind.FIELD) {
        own.fields += 1;
        own.rootFields += level === 0 ? 1 : 0;
        own.aliases += selection.alias === undefined ? 0 : 1;
        own.depth = Math.max(own.depth, level + 1);
        countArguments(selection.arguments, counter);
        if (selection.selectionSet) open.push({ selectionSet: selection.selectionSet, level: level + 1 });
      } else {
        own.fragmentUses += 1;
        if (selection.kind === Kind.FRAGMENT_SPREAD) spreads.push({ name: selection.name.value, level });
        else open.push({ selectionSet: selection.selectionSet, level });
      }
    }
  }
  return { own, spreads };
}

/** Depth-first with an explicit stack. @returns undefined if a fragment uses itself. */
function sumFragments(fragments: ReadonlyMap<string, ScannedDefinition>): ReadonlyMap<string, Sums> | undefined {
  const finished = new Map<string, Sums>();
  const open = new Set<string>();
  for (const start of fragments.keys()) {
    const stack: { readonly name: string; readonly scanned: ScannedDefinition; next: number }[] = [];
    const enter = (name: string) => {
      const scanned = fragments.get(name);
      // A fragment that does not exist selects nothing; `validate` reports it.
      if (scanned === undefined || finished.has(name)) return;
      open.add(name);
      stack.push({ name, scanned, next: 0 });
    };
    enter(start);
    for (let top = stack.at(-1); top !== undefined; top = stack.at(-1)) {
      const spread = top.scanned.spreads[top.next];
      top.next += 1;
      if (spread === undefined) {
        finished.set(top.name, sumUp(top.scanned, finished));
        open.delete(top.name);
        stack.pop();
      } else if (open.has(spread.name)) {
        return undefined;
      } else {
        enter(spread.name);
      }
    }
  }
  return finished;
}

function sumUp({ own, spreads }: ScannedDefinition, fragments: ReadonlyMap<string, Sums>): Sums {
  const total = { ...own };
  for (const { name, level } of spreads) {
    const fragment = fragments.get(name);
    if (fragment === undefined) continue;
    for (const name of names) {
      if (name === 'depth') total.depth = Math.max(total.depth, level + fragment.depth);
      else if (name !== 'rootFields' || level === 0) total[name] += fragment[name];
    }
  }
  return total;
}

function countDirectives(directives: readonly DirectiveNode[] | undefined, counter: Counter): number {
  for (const directive of directives ?? []) {
    counter.nodes += 2;
    countArguments(directive.arguments, counter);
  }
  return directives?.length ?? 0;
}

function countArguments(given: readonly ArgumentNode[] | undefined, counter: Counter): void {
  for (const { value } of given ?? []) {
    counter.nodes += 2;
    countValue(value, counter);
  }
}

function countValue(value: ValueNode, counter: Counter): void {
  const open: { readonly value: ValueNode; readonly depth: number }[] = [{ value, depth: 0 }];
  for (let next = open.pop(); next !== undefined; next = open.pop()) {
    counter.steps += 1;
    counter.nodes += 1;
    counter.valueDepth = Math.max(counter.valueDepth, next.depth);
    const depth = next.depth + 1;
    if (next.value.kind === Kind.LIST) {
      for (const item of next.value.values) open.push({ value: item, depth });
    } else if (next.value.kind === Kind.OBJECT) {
      for (const field of next.value.fields) {
        counter.nodes += 2;
        open.push({ value: field.value, depth });
      }
    }
  }
}

function countType(type: TypeNode, counter: Counter): void {
  let depth = 0;
  for (let inner = type; inner.kind !== Kind.NAMED_TYPE; inner = inner.type) {
    counter.steps += 1;
    counter.nodes += 1;
    depth += inner.kind === Kind.LIST_TYPE ? 1 : 0;
  }
  counter.valueDepth = Math.max(counter.valueDepth, depth);
}

/** A response name that occurs more than once in one place. */
export interface Repetition {
  /** Response names from the root down, such as `products.nodes`. */
  readonly path: string;
  readonly count: number;
}

export interface MergeEffort {
  /**
   * Comparisons of fields that GraphQL's rule "Field Selection Merging" needs: each field of an object with each other
   * one of the same response name, once for itself and once more for each value in its arguments.
   */
  readonly comparisons: number;
  /** The response name that needs most of them. */
  readonly most: Repetition;
  readonly steps: number;
}

interface MergedObject {
  readonly path: string;
  readonly selectionSets: readonly SelectionSetNode[];
}

/**
 * Writes a document's operations out, merged as an answer merges them, and counts the fields of each object of an
 * answer. Takes as many steps as the document has selections with fragments written out: call it only once that number
 * is known to be small and no fragment uses itself.
 */
export function measureMerging(document: DocumentNode): MergeEffort {
  const fragments = fragmentsByName(document);
  const used = new Set<string>();
  const weights = new Map<FieldNode, number>();
  const effort = { comparisons: 0, most: { path: '', count: 0 }, largest: 0, steps: 0 };

  const measureFrom = (selectionSet: SelectionSetNode): void => {
    const open: MergedObject[] = [{ path: '', selectionSets: [selectionSet] }];
    for (let merged = open.pop(); merged !== undefined; merged = open.pop()) {
      for (const [name, fields] of fieldsOf(merged.selectionSets, fragments, used, effort)) {
        const path = merged.path === '' ? name : `${merged.path}.${name}`;
        if (fields.size > 1) {
          const values = [...fields].reduce((sum, field) => sum + weightOf(field, weights), 0);
          const comparisons = ((fields.size - 1) * values) / 2;
          effort.comparisons += comparisons;
          if (comparisons > effort.largest) {
            effort.largest = comparisons;
            effort.most = { path, count: fields.size };
          }
        }
        const selectionSets = [...fields].flatMap((field) => field.selectionSet ?? []);
        if (selectionSets.length > 0) open.push({ path, selectionSets });
      }
    }
  };

  for (const definition of document.definitions) {
    if (definition.kind === Kind.OPERATION_DEFINITION) measureFrom(definition.selectionSet);
  }
  // In document order: a fragment is measured again for each use by another one.
  for (const [name, { selectionSet }] of fragments) if (!used.has(name)) measureFrom(selectionSet);
  const { comparisons, most, steps } = effort;
  return { comparisons, most, steps };
}

/** The fields of one place by response name, fragments written out, each field once. */
function fieldsOf(
  selectionSets: readonly SelectionSetNode[],
  fragments: ReadonlyMap<string, FragmentDefinitionNode>,
  used: Set<string>,
  counter: { steps: number },
): ReadonlyMap<string, ReadonlySet<FieldNode>> {
  const fields = new Map<string, Set<FieldNode>>();
  const seen = new Set<string>();
  const open = [...selectionSets];
  for (let next = open.pop(); next !== undefined; next = open.pop()) {
    for (const selection of next.selections) {
      counter.steps += 1;
      if (selection.kind === Kind.FIELD) {
        const name = (selection.alias ?? selection.name).value;
        const known = fields.get(name);
        if (known === undefined) fields.set(name, new Set([selection]));
        else known.add(selection);
      } else if (selection.kind === Kind.INLINE_FRAGMENT) {
        open.push(selection.selectionSet);
      } else if (!seen.has(selection.name.value)) {
        seen.add(selection.name.value);
        used.add(selection.name.value);
        const fragment = fragments.get(selection.name.value);
        if (fragment !== undefined) open.push(fragment.selectionSet);
      }
    }
  }
  return fields;
}

/** The cost of comparing a field with another one: arguments are sorted and printed each time. */
function weightOf(field: FieldNode, weights: Map<FieldNode, number>): number {
  const known = weights.get(field);
  if (known !== undefined) return known;
  const counter = { steps: 0, nodes: 0, valueDepth: 0 };
  countArguments(field.arguments, counter);
  countDirectives(field.directives, counter);
  const weight = 1 + argumentWeight * counter.nodes;
  weights.set(field, weight);
  return weight;
}

/** Measured: comparing a node of an argument takes five times as long as comparing two fields without any. */
const argumentWeight = 5;
