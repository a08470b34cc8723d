import type { ObjectTable } from '../../catalog/model';
import { importedColumnsOf } from '../../catalog/model';
import type {
  CollectionRecord,
  DeletedProductRecord,
  OrderRecord,
  ProductRecord,
  ProductValues,
  VariantValues,
} from '../formats/record';
import type { Absent } from './batch';
import { nothingAbsent } from './upsert-products';

/** Columns that may be null: a record that has no value for one leaves the stored value as it is. */
const nullableColumnsOf = (table: ObjectTable): readonly string[] =>
  importedColumnsOf(table).flatMap(({ name, isRequired }) => (isRequired ? [] : [name]));

const columns = {
  product: nullableColumnsOf('products'),
  variant: nullableColumnsOf('variants'),
  collection: nullableColumnsOf('collections'),
  order: nullableColumnsOf('orders'),
} as const;

const missingFrom = (values: object | undefined, names: readonly string[]): readonly string[] =>
  values === undefined ? [] : names.filter((name) => (values as Readonly<Record<string, unknown>>)[name] === undefined);

/**
 * The members that records have no value for: those that a format names, which its file has no column for, and those
 * that it does not know. Records that lack the same get one object, which identifies their batch.
 */
export class AbsentMembers {
  readonly #known = new Map<Absent, Map<string, Absent>>();

  of(record: ProductRecord | CollectionRecord | OrderRecord | DeletedProductRecord): Absent {
    if (record.kind === 'deleted-product') return undefined;
    const named: Absent = record.absent;
    const missing = missingFrom(record.values, columns[record.kind]);
    // A format gives all variants of a product the same members.
    const ofVariants = record.kind === 'product' ? missingFrom(record.variants[0], columns.variant) : [];
    if (missing.length === 0 && ofVariants.length === 0) return named;
    const key = `${missing.join()};${ofVariants.join()}`;
    let known = this.#known.get(named);
    if (known === undefined) this.#known.set(named, (known = new Map<string, Absent>()));
    let absent = known.get(key);
    if (absent === undefined) known.set(key, (absent = join(named, record.kind, missing, ofVariants)));
    return absent;
  }
}

function join(named: Absent, kind: string, missing: readonly string[], ofVariants: readonly string[]): Absent {
  if (kind !== 'product') return new Set([...((named as ReadonlySet<never> | undefined) ?? []), ...missing]) as Absent;
  const { product, variant, ...others } = (named ?? nothingAbsent) as Exclude<Absent, undefined | ReadonlySet<unknown>>;
  return {
    ...others,
    product: new Set([...product, ...(missing as readonly (keyof ProductValues)[])]),
    variant: new Set([...variant, ...(ofVariants as readonly (keyof VariantValues)[])]),
  };
}
