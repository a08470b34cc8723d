import type { PulledType } from './platform';

/** The fields that the bulk formats read (src/ingest/formats). Of personal data, only names. */
const selections: Readonly<Record<PulledType, string>> = {
  products: `id title handle status vendor productType tags descriptionHtml
        seo { title description }
        featuredMedia { preview { image { url } } }
        mediaSelected: __typename
        media { edges { node { id ... on MediaImage { image { url altText } } } } }
        onlineStoreUrl collectionsSelected: __typename
        collections { edges { node { id } } }
        publishedAt createdAt updatedAt
        variants { edges { node {
          id title sku barcode price compareAtPrice inventoryQuantity position
          selectedOptions { name value }
          image { url }
          inventoryItem { tracked unitCost { amount } measurement { weight { value unit } } }
          createdAt updatedAt
        } } }`,
  collections: `id title handle descriptionHtml updatedAt
        seo { title description }
        image { url }
        productsCount { count }
        ruleSet { appliedDisjunctively }
        productsSelected: __typename
        products(sortKey: COLLECTION_DEFAULT) { edges { node { id } } }`,
  orders: `id name currencyCode
        totalPriceSet { shopMoney { amount } }
        subtotalPriceSet { shopMoney { amount } }
        totalTaxSet { shopMoney { amount } }
        totalShippingPriceSet { shopMoney { amount } }
        displayFinancialStatus displayFulfillmentStatus tags
        lineItems { edges { node {
          id name sku quantity
          originalUnitPriceSet { shopMoney { amount } }
          discountedTotalSet { shopMoney { amount } }
          product { id } variant { id }
        } } }
        billingAddress { firstName lastName }
        shippingAddress { firstName lastName }
        createdAt updatedAt`,
};

/** The bulk operation query of a type, for changes since a time or for everything. */
export function bulkQuery(type: PulledType, since: string | undefined): string {
  const filter = since === undefined ? '' : `(query: ${JSON.stringify(`updated_at:>='${since}'`)})`;
  return `{
  ${type}${filter} {
    edges {
      node {
        ${selections[type]}
      }
    }
  }
}`;
}
