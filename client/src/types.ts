import type { components, operations } from './openapi.ts';

type Schemas = components['schemas'];
type QueryOf<Operation extends keyof operations> = NonNullable<operations[Operation]['parameters']['query']>;
type OrUndefined<Options> = { readonly [Name in keyof Options]: Options[Name] | undefined };
type FiltersOf<Operation extends keyof operations> = OrUndefined<Omit<QueryOf<Operation>, 'limit' | 'cursor'>>;

export type Shop = Schemas['Shop'];
export type Product = Schemas['Product'];
export type ProductWithVariants = Schemas['ProductWithVariants'];
export type Variant = Schemas['Variant'];
export type Collection = Schemas['Collection'];
export type Order = Schemas['Order'];
export type ProductStatus = Schemas['ProductStatus'];
export type Scope = Schemas['Scope'];

export type ProductFilters = FiltersOf<'listProducts'>;
export type CollectionFilters = FiltersOf<'listCollections'>;
export type OrderFilters = FiltersOf<'listOrders'>;

/** Fields of a product in exports and the change feed that `/v1` does not return. */
export interface ProductDetails {
  /** URL of the product on the storefront. */
  readonly url: string | null;
  readonly images: readonly {
    readonly url: string;
    readonly alt_text: string | null;
    readonly position: number | null;
  }[];
  /** Collections that contain the product, and its position in each. */
  readonly memberships: readonly { readonly collection_external_id: string; readonly position: number | null }[];
}

/** Fields of an order in exports and the change feed that `/v1` does not return. */
export interface OrderDetails {
  readonly line_items: readonly {
    readonly title: string | null;
    readonly sku: string | null;
    readonly quantity: number;
    readonly unit_price: string | null;
    readonly total: string | null;
    readonly product_external_id: string | null;
    readonly variant_external_id: string | null;
  }[];
}

/** Options of every call. */
export interface CallOptions {
  /** Cancels the call and rejects with the signal's reason. */
  readonly signal?: AbortSignal | undefined;
}

/** Codes of the REST API, from the OpenAPI document. */
export type RestErrorCode = {
  [Name in keyof Schemas]: Schemas[Name] extends { readonly error: { readonly code: infer Code } } ? Code : never;
}[keyof Schemas];
