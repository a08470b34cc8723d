/** An object that says its type, as interfaces need it. */
export interface TypedObject {
  readonly __typename: 'Shop' | 'Product' | 'Variant' | 'Collection' | 'Order';
}

/** The row itself is shared with other fields and stays as it is. */
export const withTypeName = (type: TypedObject['__typename'], row: object | null): TypedObject | null =>
  row === null ? null : { ...row, __typename: type };
