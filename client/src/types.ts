import type { components, operations } from './openapi.ts';

type Schemas = components['schemas'];
type QueryOf<Operation extends keyof operations> = NonNullable<operations[Operation]['parameters']['query']>;
type FiltersOf<Operation extends keyof operations> = Readonly<Omit<QueryOf<Operation>, 'limit' | 'cursor'>>;

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

/** Options of every call. */
export interface CallOptions {
  /** Ends the call, and its waiting, with the signal's reason. */
  readonly signal?: AbortSignal | undefined;
}

/** Codes of the REST API, from the OpenAPI document. */
export type RestErrorCode = {
  [Name in keyof Schemas]: Schemas[Name] extends { readonly error: { readonly code: infer Code } } ? Code : never;
}[keyof Schemas];
