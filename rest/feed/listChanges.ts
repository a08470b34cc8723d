import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { projectRoot } from '../../src/common/project-root';
import type { QueryParameters } from '../operation';
import { listOf, readParameter, size, text } from '../operation';

/** The entry types: their names in the parameter `types`, and in GraphQL. */
const words = { products: 'PRODUCT', variants: 'VARIANT', collections: 'COLLECTION', orders: 'ORDER' } as const;

/** The values of the parameter `types`. */
export const feedTypes = Object.keys(words) as readonly (keyof typeof words)[];
const types = listOf(feedTypes);

type FeedType = (typeof words)[keyof typeof words];

/** Value of `after` for the end of the feed, for clients that already have everything. */
const afterNow = 'now';

export interface ListChangesVariables extends Record<string, unknown> {
  /** Size of this page. */
  readonly first: number;
  /** Size of the following pages. */
  readonly limit: number;
  readonly after: string | null;
  readonly types: readonly FeedType[] | null;
  readonly isStart: boolean;
  readonly hasCursors: boolean;
}

interface ListChangesData extends Record<string, unknown> {
  readonly changes: {
    readonly edges: readonly { readonly cursor?: string; readonly node: ChangeData }[];
    readonly pageInfo: { readonly hasNextPage: boolean; readonly endCursor: string };
    readonly changesCursor?: string;
  } | null;
}

type ObjectMembers = Readonly<Record<string, unknown>>;

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
    const isStart = after === afterNow;
    const limit = readParameter(query, 'limit', size);
    return {
      first: isStart ? 0 : limit,
      limit,
      after: isStart ? null : after,
      types: readParameter(query, 'types', types)?.map((word) => words[word]) ?? null,
      isStart,
      hasCursors: false,
    };
  },
  toBody({ changes }: ListChangesData) {
    if (changes === null) throw new Error('A null feed always comes with an error, which is thrown first.');
    const { edges, pageInfo, changesCursor } = changes;
    return {
      data: edges.map(({ cursor, node }) => ({ ...toEntry(node), ...(cursor !== undefined && { cursor }) })),
      has_more: changesCursor === undefined && pageInfo.hasNextPage,
      next_cursor: changesCursor ?? pageInfo.endCursor,
    };
  },
};

/** The variables of the page after a cursor. */
export const toNextPage = (variables: ListChangesVariables, after: string): ListChangesVariables => ({
  ...variables,
  first: variables.limit,
  after,
  isStart: false,
});

export const readListChangesDocument = (): string =>
  readFileSync(join(projectRoot, 'rest', 'feed', 'listChanges.graphql'), 'utf8');

/**
 * An entry with the latest state of its object, with the same fields as in /v1. A variant also has its product's id.
 */
function toEntry({ type, id, external_id, deleted, product, variant, collection, order }: ChangeData) {
  const objects = { PRODUCT: product, VARIANT: variant && toVariant(variant), COLLECTION: collection, ORDER: order };
  return { type: type.toLowerCase(), id, external_id, deleted, object: deleted ? null : objects[type] };
}

const toVariant = ({ product, ...members }: NonNullable<ChangeData['variant']>): ObjectMembers => ({
  ...members,
  product_id: product?.id ?? null,
});
