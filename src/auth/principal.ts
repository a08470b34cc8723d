import type { Scope } from './api-key';
import { ApiError } from '../errors/api-error';

/**
 * The message of a refusal, the same with and without subgraphs.
 * @param required Sets of scopes of which one is needed completely: outer list OR, inner lists AND.
 */
export function describeMissingScopes(required: readonly (readonly string[])[], carried: readonly string[]): string {
  const wanted = required.map((all) => all.join(' and ')).join(', or ');
  return `Required scopes: ${wanted}. Granted scopes: ${carried.join(', ') || 'none'}.`;
}

/** The connected shop as its row describes it, in the names of the GraphQL schema. Timestamps as in D23. */
export interface ShopRecord {
  readonly id: string;
  readonly name: string | null;
  readonly domain: string;
  readonly platform: string | null;
  readonly currency: string | null;
  readonly plan: 'free' | 'starter' | 'pro' | 'business';
  readonly planStatus: string;
  readonly productLimit: number | null;
  /** Products readable through the API: min(limit, live products) (D8). */
  readonly productCount: number;
  readonly lastSyncAt: string | null;
  readonly createdAt: string;
}

/**
 * The caller, as one read of the database at the start of the request returned it: key, scopes, shop, plan, limit and
 * data version of the same snapshot. It determines everything that the request may see.
 */
export interface Principal {
  /** The part of the API key before the dot, prefix included (D12). */
  readonly clientId: string;
  /**
   * Effective scopes: the key's, for an access token those that the token has too (D14, D15). In the specification's
   * order.
   */
  readonly scopes: readonly Scope[];
  readonly shop: ShopRecord;
  /** Increases with every committed change to the data in the shop's responses. */
  readonly dataVersion: string;
}

/**
 * FORBIDDEN, with what is required and what the credential carries.
 * @param required Sets of scopes of which one is needed completely; the challenge asks for the first.
 */
export const createScopeError = (required: readonly (readonly string[])[], carried: readonly string[]): ApiError =>
  new ApiError('FORBIDDEN', describeMissingScopes(required, carried), {
    credentialFault: { error: 'insufficient_scope', scope: (required[0] ?? []).join(' ') },
  });
