import type { GraphqlAnswer } from './graphql-client';
import { askGraphql } from './graphql-client';
import type { Sql } from './test-database';

export interface ChangeEntry {
  readonly type: 'PRODUCT' | 'VARIANT' | 'COLLECTION' | 'ORDER';
  readonly id: string;
  /** Null when it is deleted. */
  readonly externalId: string | null;
  readonly deleted: boolean;
  readonly node: Readonly<Record<string, unknown>> | null;
}

interface ChangesAnswer {
  readonly changes: {
    readonly nodes: readonly ChangeEntry[];
    readonly pageInfo: { readonly hasNextPage: boolean; readonly endCursor: string };
  } | null;
}

export const changesDocument = `query ($after: String, $first: Int, $types: [ObjectType!]) {
  changes(after: $after, first: $first, types: $types) {
    nodes {
      type id externalId deleted
      node {
        __typename
        ... on Product { title minPrice variantCount }
        ... on Variant { variantTitle: title price product { id } }
        ... on Collection { title published }
        ... on Order { orderNumber totalPrice }
      }
    }
    pageInfo { hasNextPage endCursor }
  }
}`;

/** A client that keeps a copy of a shop by its change feed. */
export class Mirror {
  /** The cursor from which it continues. */
  cursor: string | null = null;
  /** The objects that it knows to exist. */
  readonly objects = new Map<string, string>();

  constructor(
    private readonly origin: string | (() => string),
    private readonly apiKey: string,
    private readonly types?: readonly ChangeEntry['type'][],
  ) {}

  ask(variables: Readonly<Record<string, unknown>>): Promise<GraphqlAnswer<ChangesAnswer>> {
    const origin = typeof this.origin === 'string' ? this.origin : this.origin();
    return askGraphql(origin, this.apiKey, changesDocument, { types: this.types, ...variables });
  }

  /** Reads one page. @returns its contents, and whether more follows */
  async pull(first?: number): Promise<{ readonly changes: readonly ChangeEntry[]; readonly hasMore: boolean }> {
    const answer = await this.ask({ after: this.cursor, first });
    const page = answer.data?.changes;
    if (answer.errors !== undefined || page === null || page === undefined) {
      throw new Error(`changes: ${answer.status} ${JSON.stringify(answer.errors ?? answer.text)}`);
    }
    for (const change of page.nodes) {
      const key = `${change.type} ${change.id}`;
      if (change.deleted) this.objects.delete(key);
      else this.objects.set(key, toText(change.externalId, change.node ?? {}));
    }
    this.cursor = page.pageInfo.endCursor;
    return { changes: page.nodes, hasMore: page.pageInfo.hasNextPage };
  }

  /** Reads all pages. */
  async drain(first?: number): Promise<ChangeEntry[]> {
    const changes: ChangeEntry[] = [];
    for (;;) {
      const page = await this.pull(first);
      changes.push(...page.changes);
      if (!page.hasMore) return changes;
    }
  }

  /** The copy, comparable with `readTruth`. */
  state(): Record<string, string> {
    return Object.fromEntries([...this.objects].sort(([a], [b]) => (a < b ? -1 : 1)));
  }
}

const toText = (
  externalId: string | null,
  { __typename, product, ...node }: Readonly<Record<string, unknown>>,
): string =>
  JSON.stringify({
    externalId,
    ...node,
    ...(__typename === 'Variant' && { product: (product as { id?: string } | null)?.id }),
  });

/** What the API shows of a shop, from its tables. */
export async function readTruth(sql: Sql, shopId: string): Promise<Record<string, string>> {
  const rows = await sql<{ key: string; value: Record<string, unknown> }>(
    `WITH seen AS (
       SELECT p.* FROM products AS p JOIN shops AS s USING (shop_id)
        WHERE shop_id = $1 AND p.deleted_at IS NULL AND (p.created_at, p.id) <= (s.visible_until_at, s.visible_until_id)
     )
     SELECT 'PRODUCT ' || id AS key, json_build_object('externalId', external_id, 'title', title, 'minPrice', min_price,
              'variantCount', variant_count) AS value FROM seen
      UNION ALL
     SELECT 'VARIANT ' || v.id, json_build_object('externalId', v.external_id, 'variantTitle', v.title, 'price', v.price, 'product', v.product_id)
       FROM variants AS v JOIN seen ON seen.id = v.product_id WHERE v.shop_id = $1
      UNION ALL
     SELECT 'COLLECTION ' || id, json_build_object('externalId', external_id, 'title', title, 'published', published)
       FROM collections WHERE shop_id = $1
      UNION ALL
     SELECT 'ORDER ' || id, json_build_object('externalId', external_id, 'orderNumber', order_number, 'totalPrice', total_price)
       FROM orders WHERE shop_id = $1`,
    [shopId],
  );
  const texts = rows.map(({ key, value }) => [key, JSON.stringify(value)] as const);
  return Object.fromEntries(texts.sort(([a], [b]) => (a < b ? -1 : 1)));
}
