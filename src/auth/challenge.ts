/** Where the protected resource describes itself (RFC 9728 3.1: the well-known name goes before the resource's path). */
export const toResourceMetadataUrl = (publicUrl: string): string =>
  `${publicUrl}/.well-known/oauth-protected-resource/v1`;

/**
 * The WWW-Authenticate header of a 401 (D16). A client that presented nothing, or another scheme, is told no error
 * (RFC 6750 3.1); one whose credential was refused is.
 */
export function bearerChallenge(publicUrl: string, error?: 'invalid_token'): string {
  const parameters = [
    'realm="Catalog API"',
    ...(error === undefined ? [] : [`error="${error}"`, 'error_description="The credential is not valid"']),
    `resource_metadata="${toResourceMetadataUrl(publicUrl)}"`,
  ];
  return `Bearer ${parameters.join(', ')}`;
}
