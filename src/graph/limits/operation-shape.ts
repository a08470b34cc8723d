import type { DefinitionOutline, OperationOutline } from './document-outline';

/** What can be said of an operation without its variables, every fragment written out where it is used. */
export interface OperationShape {
  readonly depth: number;
  readonly fields: number;
  readonly rootFields: number;
  readonly aliases: number;
  readonly directives: number;
  /** The field that lies within itself most often, and how often it stands on that one path. */
  readonly recursion: { readonly field: string; readonly count: number };
  /** Steps the measuring took: linear in the document, for the tests that hold it to that. */
  readonly steps: number;
}

interface Shape {
  depth: number;
  fields: number;
  rootFields: number;
  aliases: number;
  directives: number;
  /** For each field that has fields itself: how often it stands on the path that holds it most often. */
  nested: Map<string, number>;
}

/**
 * Measures fragments first, each once, then the operation. Sums may become Infinity for fragments that double each
 * other; nothing but a comparison is done with them.
 */
export function measureShape(outline: OperationOutline): OperationShape {
  const fragments = new Map<string, Shape>();
  const counter = { steps: 0 };
  for (const [name, definition] of outline.fragments) {
    fragments.set(name, measureDefinition(definition, fragments, counter));
  }
  const shape = measureDefinition(outline.root, fragments, counter);
  shape.directives += outline.operation.directives?.length ?? 0;
  const recursion = { field: '', count: 0 };
  for (const [field, count] of shape.nested) {
    if (count > recursion.count) Object.assign(recursion, { field, count });
  }
  const { nested: _, ...sums } = shape;
  return { ...sums, recursion, steps: counter.steps };
}

function measureDefinition(
  { nodes }: DefinitionOutline,
  fragments: ReadonlyMap<string, Shape>,
  counter: { steps: number },
): Shape {
  const total = emptyShape();
  const below: (Shape | undefined)[] = [];
  for (let index = nodes.length - 1; index >= 0; index--) {
    const node = nodes[index];
    if (node === undefined) continue;
    counter.steps += 1;
    const isRoot = node.parent === -1;
    let shape: Shape;
    if (node.kind === 'spread') {
      shape = fragments.get(node.fragment) ?? emptyShape();
    } else {
      shape = below[index] ?? emptyShape();
      shape.depth += 1;
      shape.fields += 1;
      shape.aliases += node.syntax.alias ? 1 : 0;
      if (node.compositeType && !isTypeWrapping(node.parentType.name, node.syntax.name.value)) {
        const coordinate = `${node.parentType.name}.${node.syntax.name.value}`;
        shape.nested.set(coordinate, (shape.nested.get(coordinate) ?? 0) + 1);
      }
    }
    const into = isRoot ? total : (below[node.parent] ??= emptyShape());
    into.depth = Math.max(into.depth, shape.depth);
    into.fields += shape.fields;
    into.aliases += shape.aliases;
    into.directives += shape.directives + node.directives;
    if (isRoot) into.rootFields += node.kind === 'field' ? 1 : shape.rootFields;
    counter.steps += mergeNested(into, shape, node.kind === 'field');
    below[index] = undefined;
  }
  return total;
}

const emptyShape = (): Shape => ({
  depth: 0,
  fields: 0,
  rootFields: 0,
  aliases: 0,
  directives: 0,
  nested: new Map(),
});

/**
 * The larger map takes the smaller one in. A fragment's own map is only read: it is used again. No map is longer than
 * the schema has fields, so this adds a factor that no document can raise.
 */
function mergeNested(into: Shape, from: Shape, mayTakeOver: boolean): number {
  if (mayTakeOver && from.nested.size > into.nested.size) {
    [into.nested, from.nested] = [from.nested, into.nested];
  }
  for (const [field, count] of from.nested) {
    if (count > (into.nested.get(field) ?? 0)) into.nested.set(field, count);
  }
  return from.nested.size;
}

/** `ofType` peels one wrapper off a type at each step: it ends by itself, and introspection needs nine of them. */
const isTypeWrapping = (type: string, field: string): boolean => type === '__Type' && field === 'ofType';
