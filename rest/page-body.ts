/** A connection as the documents of the lists select it; null only where an error stands for it. */
interface Page {
  readonly nodes: readonly unknown[];
  readonly pageInfo: { readonly hasNextPage: boolean; readonly endCursor: string | null };
}

/** The page envelope of the specification: the cursor stands there only when it leads somewhere. */
export function toPageBody(connection: Page | null) {
  if (connection === null) throw new Error('A list is null only beside an error, and that has been thrown.');
  const { nodes, pageInfo } = connection;
  const { hasNextPage, endCursor } = pageInfo;
  return { data: nodes, has_more: hasNextPage, next_cursor: hasNextPage ? endCursor : null };
}
