/**
 * The address of the protected resource's metadata (RFC 9728 3.1: the well-known name goes before the resource's path).
 */
export const toResourceMetadataUrl = (publicUrl: string): string =>
  `${publicUrl}/.well-known/oauth-protected-resource/v1`;

/**
 * The WWW-Authenticate header of a 401 (D16). It contains an error only for a client whose credential was refused, not
 * for one that presented none or another scheme (RFC 6750 3.1).
 * @param refusal Why the credential was refused, in the characters that RFC 6750 (3) allows: no quotes, no backslash.
 */
export function bearerChallenge(publicUrl: string, refusal?: string): string {
  const parameters = [
    'realm="Catalog API"',
    ...(refusal === undefined ? [] : ['error="invalid_token"', `error_description="${refusal}"`]),
    `resource_metadata="${toResourceMetadataUrl(publicUrl)}"`,
  ];
  return `Bearer ${parameters.join(', ')}`;
}
