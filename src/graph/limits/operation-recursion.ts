import type { DefinitionOutline, OperationOutline } from './document-outline';

/** The field that is nested within itself most often, and how often it occurs on that one path. */
export interface Recursion {
  readonly field: string;
  readonly count: number;
}

/** For each field with a selection set: how often it occurs on the path that contains it most often. */
type Nesting = Map<string, number>;

/**
 * Measures fragments first, each once, then the operation. `steps` are linear in the document, for the tests that check
 * this.
 */
export function measureRecursion(outline: OperationOutline): Recursion & { readonly steps: number } {
  const fragments = new Map<string, Nesting>();
  const counter = { steps: 0 };
  for (const [name, definition] of outline.fragments) {
    fragments.set(name, measureDefinition(definition, fragments, counter));
  }
  const recursion = { field: '', count: 0 };
  for (const [field, count] of measureDefinition(outline.root, fragments, counter)) {
    if (count > recursion.count) Object.assign(recursion, { field, count });
  }
  return { ...recursion, steps: counter.steps };
}

function measureDefinition(
  { nodes }: DefinitionOutline,
  fragments: ReadonlyMap<string, Nesting>,
  counter: { steps: number },
): Nesting {
  /** By the index of the surrounding node, the top at the end. */
  const below: (Nesting | undefined)[] = [];
  const top = nodes.length;
  for (let index = nodes.length - 1; index >= 0; index--) {
    const node = nodes[index];
    if (node === undefined) continue;
    counter.steps += 1;
    const into = node.parent === -1 ? top : node.parent;
    let nesting: Nesting | undefined;
    if (node.kind === 'spread') {
      nesting = fragments.get(node.fragment);
    } else {
      nesting = below[index];
      if (node.compositeType && !isTypeWrapping(node.parentType.name, node.syntax.name.value)) {
        const coordinate = `${node.parentType.name}.${node.syntax.name.value}`;
        nesting ??= new Map();
        nesting.set(coordinate, (nesting.get(coordinate) ?? 0) + 1);
      }
    }
    below[index] = undefined;
    if (nesting === undefined) continue;
    counter.steps += nesting.size;
    below[into] = merge(below[into], nesting, node.kind === 'field');
  }
  return below[top] ?? new Map<string, number>();
}

/**
 * Merges the smaller map into the larger one. A fragment's own map is only read: it is used again. No map is longer
 * than the schema has fields, so this adds a factor that no document can raise.
 */
function merge(into: Nesting | undefined, from: Nesting, mayTakeOver: boolean): Nesting {
  if (into === undefined) return mayTakeOver ? from : new Map<string, number>(from);
  const [larger, smaller] = mayTakeOver && from.size > into.size ? [from, into] : [into, from];
  for (const [field, count] of smaller) {
    if (count > (larger.get(field) ?? 0)) larger.set(field, count);
  }
  return larger;
}

/** Each `ofType` removes one wrapper of a type, so it terminates, and introspection needs nine of them. */
const isTypeWrapping = (type: string, field: string): boolean => type === '__Type' && field === 'ofType';
