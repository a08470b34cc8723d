import { importedColumnsOf, type ObjectTable } from '../../src/catalog/model';
import type { AbsentFromProducts, CollectionRecord, OrderRecord, ProductRecord } from '../../src/ingest/formats/record';
import { AbsentMembers } from '../../src/ingest/write/absent-members';
import { fc } from '../support/properties';

/** Values of a record without some that may be null. What they are does not matter here. */
const valuesOf = (table: ObjectTable, missing: readonly string[]) =>
  Object.fromEntries(importedColumnsOf(table).flatMap(({ name }) => (missing.includes(name) ? [] : [[name, null]])));

const nullable = (table: ObjectTable): fc.Arbitrary<string[]> =>
  fc.subarray(importedColumnsOf(table).flatMap(({ name, isRequired }) => (isRequired ? [] : [name])));

const toRecord = (table: 'collections' | 'orders', missing: readonly string[], absent?: ReadonlySet<string>) =>
  ({
    kind: table === 'orders' ? 'order' : 'collection',
    line: 1,
    values: valuesOf(table, missing),
    absent,
  }) as unknown as OrderRecord | CollectionRecord;

const toProduct = (ofProduct: readonly string[], ofVariant: readonly string[], absent?: AbsentFromProducts) =>
  ({
    kind: 'product',
    line: 1,
    values: valuesOf('products', ofProduct),
    variants: [valuesOf('variants', ofVariant)],
    absent,
  }) as unknown as ProductRecord;

describe('what a record has no value for is absent', () => {
  it.each(['collections', 'orders'] as const)('of %s, beside what the format says is absent', (table) => {
    fc.assert(
      fc.property(nullable(table), fc.boolean(), (missing, isNamed) => {
        const named = isNamed && table === 'orders' ? new Set(['tags']) : undefined;
        const members = new AbsentMembers();
        const absent = members.of(toRecord(table, missing, named));
        if (missing.length === 0) expect(absent).toBe(named);
        else expect([...(absent as Set<string>)].sort()).toEqual([...(named ?? []), ...missing].sort());
        // The same object, or every record would be a batch of its own.
        expect(members.of(toRecord(table, missing, named))).toBe(absent);
      }),
    );
  });

  it('of products and of their variants', () => {
    fc.assert(
      fc.property(nullable('products'), nullable('variants'), fc.boolean(), (ofProduct, ofVariant, isNamed) => {
        const named = isNamed
          ? ({
              product: new Set(['tags']),
              variant: new Set(['options']),
              weightUnit: true,
              optionValues: 2,
            } satisfies AbsentFromProducts)
          : undefined;
        const members = new AbsentMembers();
        const absent = members.of(toProduct(ofProduct, ofVariant, named)) as AbsentFromProducts | undefined;
        if (ofProduct.length + ofVariant.length === 0) expect(absent).toBe(named);
        else {
          expect([...(absent?.product ?? [])].sort()).toEqual([...(named?.product ?? []), ...ofProduct].sort());
          expect([...(absent?.variant ?? [])].sort()).toEqual([...(named?.variant ?? []), ...ofVariant].sort());
          expect(absent).toMatchObject({ weightUnit: isNamed, optionValues: isNamed ? 2 : 3 });
        }
        expect(members.of(toProduct(ofProduct, ofVariant, named))).toBe(absent);
      }),
    );
  });
});
