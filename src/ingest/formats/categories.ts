import { getOrMake } from '../../common/once';
import type { CollectionRecord, CollectionValues } from './record';
import { constant, ObjectRules } from './rules';

export interface Category {
  readonly id: string;
  readonly title: string;
  readonly handle: string | null;
}

interface CountedCategory extends Category {
  readonly line: number;
  count: number;
}

/** The categories of the products of a file, which become collections. */
export class Categories {
  readonly #counted = new Map<string, CountedCategory>();

  /** Adds the categories of one product. */
  add(categories: readonly Category[], line: number): void {
    for (const category of categories)
      getOrMake(this.#counted, category.id, () => ({ ...category, line, count: 0 })).count += 1;
  }

  *records(isPartial: boolean): Generator<CollectionRecord, void, void> {
    const absent = isPartial ? absentFromSome : absentFromCategories;
    for (const category of this.#counted.values()) {
      const values = { ...rules.read(category, undefined), published: true };
      yield { kind: 'collection', line: category.line, values, absent };
    }
  }
}

/** How a category becomes a collection; a stored collection keeps its other values. */
const rules = new ObjectRules<CountedCategory, CollectionValues>('collections', {
  external_id: constant(({ id }) => id),
  title: constant(({ title }) => title),
  handle: constant(({ handle }) => handle),
  collection_type: constant(() => 'manual'),
  products_count: constant(({ count }) => String(count)),
});
const absentFromCategories = new Set(rules.absentFrom([{ provides: () => false }]));
/** The absent fields if some products do not count in their categories. */
const absentFromSome: typeof absentFromCategories = new Set([...absentFromCategories, 'products_count']);
