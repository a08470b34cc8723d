/** The example in the editors of the explorer pages: a dashboard in one operation. */
export const exampleDocument = `# The shop, its most expensive products
# in stock, and its latest orders.
query Dashboard {
  shop {
    name
    plan
    productCount
  }
  # Reversed, a list begins with what has no price, or
  # no date: the filters leave that out.
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
