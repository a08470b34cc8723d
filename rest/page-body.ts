/** A connection as the documents of the lists select it; null only together with an error. */
interface Page {
  readonly nodes: readonly unknown[];
  readonly pageInfo: { readonly hasNextPage: boolean; readonly endCursor: string | null };
}

/** The page envelope of the specification: it contains the cursor only if there is a next page. */
export function toPageBody(connection: Page | null) {
  if (connection === null) throw new Error('A list is null only together with an error, which has been thrown.');
  const { nodes, pageInfo } = connection;
  const { hasNextPage, endCursor } = pageInfo;
  return { data: nodes, has_more: hasNextPage, next_cursor: hasNextPage ? endCursor : null };
}
