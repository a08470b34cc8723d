import type { JsonExplained, ReadContext } from '../format';
import { Place } from '../import-error';
import type { AbsentFromProducts, OrderValues, ProductValues, VariantValues } from '../record';
import { readJsonElements } from '../source/json-elements';
import type { SourceFile } from '../source/source-file';
import { parseJsonLine } from '../values/json-line';
import { JsonMembers } from './json-members';

/** An object of a JSON file, and where it stands. */
export interface JsonObjectInFile {
  readonly line: number;
  readonly members: JsonMembers;
}

/** The objects of a JSON file, without those that are a problem. */
export async function* readJsonObjects(
  source: SourceFile,
  wrappers: readonly string[],
  { problems }: ReadContext,
): AsyncGenerator<JsonObjectInFile, void, void> {
  for await (const { line, text, path } of readJsonElements(source, wrappers)) {
    const place = new Place(source.name, line);
    const object = problems.collect(() => parseJsonLine(text, path === '' ? place : place.at(path)), undefined);
    if (object === undefined) continue;
    yield { line, members: new JsonMembers(object, place, problems, path === '' ? '' : `${path}.`) };
  }
}

/** More names than this are a file of another kind. */
const maxNames = 500;

/**
 * What the objects of one file have and lack. Programs leave members out that nobody asked them for: these stay as they are
 * stored, like those of a CSV without their column.
 */
export class FileMembers {
  readonly #expected: ReadonlySet<string>;
  readonly #seen = new Set<string>();
  /** The same by prefix: objects have mostly names that others had. */
  readonly #noted = new Map<string, Set<string>>();
  readonly #products = new Map<string, AbsentFromProducts>();
  readonly #orders = new Map<string, ReadonlySet<keyof OrderValues>>();

  /**
   * @param expected the members that are read, those of inner objects as `variants.price`
   * @param others members that are read as well, and that nobody misses
   */
  constructor(
    expected: JsonExplained['expected'],
    private readonly others: JsonExplained['others'] = {},
  ) {
    this.#expected = new Set(Object.keys(expected));
  }

  note(members: JsonMembers, prefix = ''): void {
    const noted = this.#noted.get(prefix) ?? new Set();
    this.#noted.set(prefix, noted);
    for (const name of members.memberNames) {
      if (noted.has(name)) continue;
      if (this.#seen.size >= maxNames && !this.#expected.has(prefix + name)) continue;
      noted.add(name);
      this.#seen.add(prefix + name);
    }
  }

  report(context: ReadContext): void {
    const missing = [...this.#expected].filter((name) => !this.#seen.has(name));
    const unread = [...this.#seen].filter((name) => !this.#expected.has(name) && !Object.hasOwn(this.others, name));
    context.noteColumns(missing, unread);
  }

  /** One object for all that lack the same, undefined where nothing is absent. */
  absentFromProduct(
    product: readonly (keyof ProductValues)[],
    variant: readonly (keyof VariantValues)[] | undefined,
    weightUnit = false,
  ): AbsentFromProducts | undefined {
    if (product.length === 0 && variant?.length === 0 && !weightUnit) return undefined;
    const key = JSON.stringify([product, variant ?? null, weightUnit]);
    const known = this.#products.get(key);
    if (known) return known;
    const made: AbsentFromProducts = {
      product: new Set(product),
      variant: new Set(variant),
      weightUnit,
      optionValues: 3,
      ...(variant === undefined && { variants: true }),
    };
    this.#products.set(key, made);
    return made;
  }

  absentFromOrder(order: readonly (keyof OrderValues)[]): ReadonlySet<keyof OrderValues> | undefined {
    if (order.length === 0) return undefined;
    const key = order.join();
    const known = this.#orders.get(key) ?? new Set(order);
    this.#orders.set(key, known);
    return known;
  }
}
