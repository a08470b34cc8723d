import { getOrMake } from '../../common/once';
import type { JsonExplained, ReadContext } from './format';
import type { AbsentFromProducts, CollectionValues, OrderValues, VariantValues } from './record';
import { locationOf, readJsonElements } from '../source/json-elements';
import type { SourceFile } from '../source/source-file';
import { parseJsonLine } from '../values/json-line';
import type { StoredLineItem } from '../../catalog/model';
import { JsonMembers } from './json-members';
import { quantityBounds } from './lists';
import { computed, toAbsent } from './rules';

/**
 * An object of a file, with parts that are elsewhere in the file: the variants of a product, the items of an order,
 * images.
 */
export interface ObjectWithParts {
  readonly line: number;
  readonly members: JsonMembers;
  readonly parts: readonly Part[];
  /** The IDs of parts of which nothing else is read. */
  readonly listed?: readonly string[];
}

export interface Part {
  /** The type in its id, such as `ProductVariant`. */
  readonly type: string;
  readonly line: number;
  readonly members: JsonMembers;
}

/** The objects of a JSON file, without invalid ones. */
export async function* readJsonObjects(
  source: SourceFile,
  wrappers: readonly string[],
  { problems }: ReadContext,
): AsyncGenerator<ObjectWithParts, void, void> {
  for await (const element of readJsonElements(source, wrappers)) {
    const location = locationOf(source.name, element);
    const object = problems.readOr(() => parseJsonLine(element.text, location), undefined);
    if (object) yield { line: element.line, members: new JsonMembers(object, location, problems), parts: [] };
  }
}

/** A file with more names than this is of another kind. */
const maxNames = 500;

/**
 * The members that the objects of one file have and lack. Programs omit members that were not requested: these keep
 * their stored values, like those of a CSV without their column.
 */
export class FileMembers {
  readonly #seen = new Set<string>();
  /** The paths that no object has had so far. */
  readonly #missing: Set<string>;
  /** The members of inner objects that are read, by path, and whether any object has them. */
  readonly #inner = new Map<string, boolean>();
  readonly #absent = new Map<string, unknown>();

  /**
   * @param known the members that are read, those of inner objects as `variants.price`
   * @param needed the paths of those that are reported when missing
   */
  constructor(
    private readonly known: JsonExplained['expected'],
    needed: Iterable<string>,
  ) {
    this.#missing = new Set(needed);
  }

  /** Records which members an object has. `prefix` is the path of an inner object, such as `variants.`. */
  note(members: JsonMembers, prefix = ''): void {
    members.noteInner(this.#noteInner, prefix);
    for (const path of this.#missing)
      if (path.startsWith(prefix) && members.provides(path.slice(prefix.length))) this.#missing.delete(path);
    for (const name of members.memberNames) {
      const path = prefix + name;
      if (this.#seen.size < maxNames || Object.hasOwn(this.known, path)) this.#seen.add(path);
    }
  }

  /** Whether any object has the member. */
  provides(name: string): boolean {
    return this.#seen.has(name);
  }

  readonly #noteInner = (path: string, exists: boolean): void => {
    if (exists || !this.#inner.has(path)) this.#inner.set(path, exists);
  };

  /** Reports the members that no object has, and those that are not read. */
  report(context: ReadContext): void {
    const inner = [...this.#inner.keys()].filter((path) => !this.#inner.get(path) && !Object.hasOwn(this.known, path));
    context.noteColumns(
      [...new Set([...this.#missing, ...inner])],
      [...this.#seen].filter((path) => !Object.hasOwn(this.known, path)),
    );
  }

  /** Absent fields of a product's record. */
  absentFromProduct(
    product: Parameters<typeof toAbsent>[0],
    variant: readonly (keyof VariantValues)[] | undefined,
    weightUnit = false,
  ): AbsentFromProducts {
    return this.#same(JSON.stringify([product, variant ?? null, weightUnit]), () =>
      toAbsent(product, variant, { weightUnit }),
    );
  }

  /** The same for an object without inner ones. */
  absentSet<Column extends keyof OrderValues | keyof CollectionValues>(
    columns: readonly Column[],
  ): ReadonlySet<Column> {
    return this.#same(columns.join(), () => new Set(columns));
  }

  /** The same object for all records that lack the same members: it identifies their batch. */
  #same<Made>(key: string, make: () => Made): Made {
    return getOrMake(this.#absent, key, make) as Made;
  }
}

/** As in the CSV: the payer, otherwise the recipient; an order without addresses has at most a customer account. */
export function customerOf(members: JsonMembers, people: readonly string[]): string | null {
  for (const name of people) {
    const person = members.object(name);
    if (person === null) continue;
    const whole = nameIn(person);
    if (whole !== null) return whole.trim();
  }
  return null;
}

/** Reads a member only if it exists or if none of the others does, because missing members are reported. */
function nameIn(person: JsonMembers): string | null {
  if (person.has('name')) return person.text('name');
  const [first, last] = person.provides('firstName') ? ['firstName', 'lastName'] : ['first_name', 'last_name'];
  const parts = person.has('displayName') && !person.has(first) && !person.has(last) ? ['displayName'] : [first, last];
  return parts.flatMap((part) => person.text(part)?.trim() ?? []).join(' ') || null;
}

/** The total quantity of an order. */
export function sumQuantities(order: JsonMembers, items: readonly JsonMembers[]): string {
  const ids = items.flatMap((item) => (item.has('id') ? [item.id('id')] : []));
  if (new Set(ids).size < ids.length) order.report('id', (at) => at.fault('an item of this order appears twice'));
  return String(items.reduce((total, item) => total + quantityOf(item), 0));
}

/** The same for an order that contains its items. */
export const itemsCount = computed(
  ['line_items'],
  (order: JsonMembers) => sumQuantities(order, order.objects('line_items')),
  'the sum of their quantities',
);

/** The sum over as many items as one object may have (`JsonMembers`) is an exact number. */
const quantityOf = (item: JsonMembers): number => Number(item.wholeNumber('quantity', quantityBounds) ?? 0);

/** The lines of an order. Text written by customers is not read. */
export const toLines = (
  items: readonly JsonMembers[],
  read: (item: JsonMembers, quantity: number) => Omit<StoredLineItem, 'sku' | 'quantity'>,
): readonly StoredLineItem[] =>
  items.map((item) => {
    const quantity = quantityOf(item);
    return { ...read(item, quantity), sku: item.text('sku'), quantity };
  });
