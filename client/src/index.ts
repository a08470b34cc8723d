export type { CatalogClient, CatalogClientOptions } from './client.ts';
export { createCatalogClient } from './client.ts';
export type { Clock } from './clock.ts';
export type { CredentialOptions } from './credentials.ts';
export type { ErrorCode, GraphqlErrorEntry } from './errors.ts';
export { CatalogError, GraphqlError, isCatalogError } from './errors.ts';
export type { RunGraphql, TypedDocument } from './graphql.ts';
export type { List, ListOptions, Page } from './list.ts';
export type { MirroredObject, MirroredType, MirrorOptions, MirrorReport, RemovedObject } from './mirror.ts';
export type {
  CallOptions,
  Collection,
  CollectionFilters,
  Order,
  OrderDetails,
  OrderFilters,
  Product,
  ProductDetails,
  ProductFilters,
  ProductStatus,
  ProductWithVariants,
  Scope,
  Shop,
  Variant,
} from './types.ts';
