/** An object with its type name, as interfaces require. */
export interface TypedObject {
  readonly __typename: 'Shop' | 'Product' | 'Variant' | 'Collection' | 'Order';
}

/** The row itself is shared with other fields and is not modified. */
export const withTypeName = <Row extends object>(type: TypedObject['__typename'], row: Row): Row & TypedObject => ({
  ...row,
  __typename: type,
});
