/** An object that says its type, as interfaces need it; the row itself is shared with other fields and stays as it is. */
export const withTypeName = (type: string, row: object | null): { readonly __typename: string } | null =>
  row === null ? null : { ...row, __typename: type };
