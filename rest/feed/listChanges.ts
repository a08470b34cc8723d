import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { projectRoot } from '../../src/common/project-root';
import type { QueryParameters } from '../operation';
import { listOf, pageSize, readParameter, text } from '../operation';

/** The object types: their names in the parameter `types`, and in GraphQL. */
const graphqlTypes = { products: 'PRODUCT', variants: 'VARIANT', collections: 'COLLECTION', orders: 'ORDER' } as const;

/** The values of the parameter `types`. */
export const feedTypes = Object.keys(graphqlTypes) as readonly (keyof typeof graphqlTypes)[];
const types = listOf(feedTypes);

type FeedType = (typeof graphqlTypes)[keyof typeof graphqlTypes];

/** Value of `after` that skips all existing entries, for clients that already have the current data. */
const afterNow = 'now';

export interface ListChangesVariables extends Record<string, unknown> {
  /** Size of this page: 0 with `startsNow`. */
  readonly first: number;
  /** The requested page size, for the next page. Not a variable of the document. */
  readonly limit: number;
  readonly after: string | null;
  readonly types: readonly FeedType[] | null;
  /** Whether to return the cursor of the end of the feed instead of entries (`after=now`). */
  readonly startsNow: boolean;
  /** Whether each entry has a cursor: an event stream can resume after any of them. */
  readonly hasCursors: boolean;
}

interface ListChangesData extends Record<string, unknown> {
  readonly changes: {
    readonly edges: readonly { readonly cursor?: string; readonly node: ChangeData }[];
    readonly pageInfo: { readonly hasNextPage: boolean; readonly endCursor: string };
    /** The cursor of the end of the feed; only with `startsNow`. */
    readonly changesCursor?: string;
  } | null;
}

type ObjectMembers = Readonly<Record<string, unknown>>;

/** One entry. Of the four objects only that of `type` has fields; all are null if it is deleted. */
interface ChangeData {
  readonly type: FeedType;
  readonly id: string;
  readonly external_id: string | null;
  readonly deleted: boolean;
  readonly product: ObjectMembers | null;
  readonly variant: (ObjectMembers & { readonly product: { readonly id: string } | null }) | null;
  readonly collection: ObjectMembers | null;
  readonly order: ObjectMembers | null;
}

/**
 * The change feed for REST. Not part of /v1: it has its own path, where clients can also wait for changes
 * (src/http/endpoints/changes/).
 */
export const listChanges = {
  operationId: 'listChanges',
  path: '/changes',
  readVariables(query: QueryParameters): ListChangesVariables {
    const after = readParameter(query, 'after', text);
    const startsNow = after === afterNow;
    const limit = readParameter(query, 'limit', pageSize);
    return {
      first: startsNow ? 0 : limit,
      limit,
      after: startsNow ? null : after,
      types: readParameter(query, 'types', types)?.map((type) => graphqlTypes[type]) ?? null,
      startsNow,
      hasCursors: false,
    };
  },
  toBody({ changes }: ListChangesData) {
    if (changes === null) throw new Error('A null feed always comes with an error, which is thrown first.');
    const { edges, pageInfo, changesCursor } = changes;
    return {
      data: edges.map(({ cursor, node }) => ({ ...toEntry(node), ...(cursor !== undefined && { cursor }) })),
      // With `startsNow`, `first` is 0: `hasNextPage` is then about the entries that the client skips.
      has_more: changesCursor === undefined && pageInfo.hasNextPage,
      next_cursor: changesCursor ?? pageInfo.endCursor,
    };
  },
};

/** The same request for the page after a cursor. */
export const toNextPage = (variables: ListChangesVariables, after: string): ListChangesVariables => ({
  ...variables,
  first: variables.limit,
  after,
  startsNow: false,
});

export const readListChangesDocument = (): string =>
  readFileSync(join(projectRoot, 'rest', 'feed', 'listChanges.graphql'), 'utf8');

/** An entry with the latest state of its object. A variant has `product_id`. */
function toEntry({ type, id, external_id, deleted, product, variant, collection, order }: ChangeData) {
  const objects = { PRODUCT: product, VARIANT: variant && toVariant(variant), COLLECTION: collection, ORDER: order };
  return { type: type.toLowerCase(), id, external_id, deleted, object: deleted ? null : objects[type] };
}

const toVariant = ({ product, ...members }: NonNullable<ChangeData['variant']>): ObjectMembers => ({
  ...members,
  product_id: product?.id ?? null,
});
