/** What stands in the editors of the explorer pages: a dashboard in one operation. */
export const exampleDocument = `# The shop, its dearest products in stock, and the latest orders.
query Dashboard {
  shop {
    name
    plan
    productCount
  }
  products(first: 5, sortKey: PRICE, reverse: true, filter: { totalStock: { min: 1 } }) {
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
  orders(last: 3) {
    nodes {
      orderNumber
      customerName
      totalPrice
      currency
      financialStatus
    }
  }
}
`;
