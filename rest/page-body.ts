/** A connection as the documents of the lists select it. */
interface Page {
  readonly nodes: readonly unknown[];
  readonly pageInfo: { readonly hasNextPage: boolean; readonly endCursor: string | null };
}

/** The page envelope of the specification: the cursor stands there only when it leads somewhere. */
export function toPageBody(connection: unknown) {
  const { nodes, pageInfo } = connection as Page;
  const { hasNextPage, endCursor } = pageInfo;
  return { data: nodes, has_more: hasNextPage, next_cursor: hasNextPage ? endCursor : null };
}
