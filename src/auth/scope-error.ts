import { ApiError } from '../errors/api-error';
import { describeMissingScopes } from './principal';

/**
 * FORBIDDEN, with what is required and what the credential carries.
 * @param required Sets of scopes of which one is needed completely; the challenge asks for the first.
 */
export const createScopeError = (required: readonly (readonly string[])[], carried: readonly string[]): ApiError =>
  new ApiError('FORBIDDEN', describeMissingScopes(required, carried), {
    credentialFault: { error: 'insufficient_scope', scope: (required[0] ?? []).join(' ') },
  });
