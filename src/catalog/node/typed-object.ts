/** An object that says its type, as interfaces need it. */
export interface TypedObject {
  readonly __typename: 'Shop' | 'Product' | 'Variant' | 'Collection' | 'Order';
}

/** The row itself is shared with other fields and stays as it is. */
export const withTypeName = <Row extends object>(type: TypedObject['__typename'], row: Row): Row & TypedObject => ({
  ...row,
  __typename: type,
});
