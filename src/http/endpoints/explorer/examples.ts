/** The example in the editors of the explorer pages: a dashboard in one operation. */
export const exampleDocument = `# The shop, its most expensive products
# in stock, and its latest orders.
query Dashboard {
  shop {
    name
    plan
    productCount
  }
  # In reverse, items without a price or date come
  # first: the filters exclude them.
  products(
    first: 5
    sortKey: PRICE
    reverse: true
    filter: { price: { min: "0" }, totalStock: { min: 1 } }
  ) {
    totalCount
    nodes {
      title
      minPrice
      totalStock
      variants {
        title
        sku
        inventoryQuantity
      }
    }
    pageInfo {
      hasNextPage
      endCursor
    }
  }
  orders(
    first: 3
    sortKey: CREATED_AT
    reverse: true
    filter: { createdAt: { from: "2026-01-01T00:00:00Z" } }
  ) {
    nodes {
      orderNumber
      createdAt
      customerName
      totalPrice
      currency
      financialStatus
    }
  }
}
`;

/** The examples of the explorer; the first runs immediately. */
interface ExplorerExample {
  readonly name: string;
  readonly query: string;
  /** As JSON text. */
  readonly variables?: string;
}

export const examples: readonly ExplorerExample[] = [
  {
    name: 'In stock and cheap',
    query: `# Active and in stock, the cheapest first.
query InStockAndCheap {
  products(
    first: 5
    sortKey: PRICE
    filter: {
      status: ACTIVE
      price: { min: "0" }
      totalStock: { min: 1 }
    }
  ) {
    totalCount
    nodes {
      title
      minPrice
      totalStock
    }
    pageInfo {
      hasNextPage
      endCursor
    }
  }
}
`,
  },
  { name: 'Dashboard', query: exampleDocument },
  {
    name: 'Change feed',
    query: `# What changed after a cursor; without one,
# from the beginning. Keep endCursor for the next call.
query WhatChanged($after: String) {
  changes(first: 5, after: $after) {
    nodes {
      type
      id
      deleted
      node {
        ... on Product {
          title
        }
        ... on Variant {
          sku
        }
        ... on Order {
          orderNumber
        }
      }
    }
    pageInfo {
      hasNextPage
      endCursor
    }
  }
}
`,
  },
  {
    name: 'Look up by SKU',
    query: `# Variants by SKU, each with its product.
query BySku($skus: [String!]!) {
  variants(first: 10, filter: { skuIn: $skus }) {
    nodes {
      sku
      title
      price
      inventoryQuantity
      product {
        title
        handle
      }
    }
  }
}
`,
    variables: '{\n  "skus": ["KAF-101-A", "KAF-102-B"]\n}',
  },
  {
    name: 'Order totals',
    query: `# Orders by month and currency; amounts in
# different currencies are never added up.
query OrdersByMonth {
  orderFigures(interval: MONTH) {
    totals {
      currency
      count
      totalPrice
    }
    buckets {
      date
      currencies {
        currency
        count
        totalPrice
      }
    }
  }
}
`,
  },
];
