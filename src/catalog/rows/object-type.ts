import type { Scope } from '../../auth/api-key';
import { changeKinds } from '../../database/sql-constants';
import type { ShopTableName } from './shop-tables';

/** An object with its type name, as interfaces require. */
export interface TypedObject {
  readonly __typename: 'Shop' | 'Product' | 'Variant' | 'Collection' | 'Order';
}

/** The row itself is shared with other fields and is not modified. */
export const withTypeName = <Row extends object>(type: TypedObject['__typename'], row: Row): Row & TypedObject => ({
  ...row,
  __typename: type,
});

/** The types of objects in the change feed, in their order within one version. */
export const objectTypes = ['PRODUCT', 'VARIANT', 'COLLECTION', 'ORDER'] as const;

export type ObjectType = (typeof objectTypes)[number];

interface ObjectTypeFacts {
  /** In the column `changes.kind`. */
  readonly kind: number;
  readonly table: ShopTableName;
  readonly typename: Exclude<TypedObject['__typename'], 'Shop'>;
  readonly scope: Scope;
}

export const factsOf: Readonly<Record<ObjectType, ObjectTypeFacts>> = {
  PRODUCT: { kind: changeKinds.products, table: 'products', typename: 'Product', scope: 'catalog:read' },
  VARIANT: { kind: changeKinds.variants, table: 'variants', typename: 'Variant', scope: 'catalog:read' },
  COLLECTION: { kind: changeKinds.collections, table: 'collections', typename: 'Collection', scope: 'catalog:read' },
  ORDER: { kind: changeKinds.orders, table: 'orders', typename: 'Order', scope: 'orders:read' },
};
