import { parseBearerToken } from '../../src/auth/authenticator';
import { bearerChallenge } from '../../src/auth/metadata';
import { readRows } from '../support/read-rows';

describe('the Authorization header (D16)', () => {
  it.each(readRows<[string, string[], unknown]>(__dirname, 'bearer-tokens.json'))(
    'reads %s',
    (_, headers, presented) => {
      expect(parseBearerToken(headers)).toEqual(presented);
    },
  );

  it('challenges without an error when nothing was presented', () => {
    expect(bearerChallenge('https://api.example/v1')).toBe(
      'Bearer realm="Catalog API", resource_metadata="https://api.example/.well-known/oauth-protected-resource/v1"',
    );
  });

  it('reports the error when a credential was refused', () => {
    expect(
      bearerChallenge('https://api.example/v1', { error: 'invalid_token', description: 'The credential is not valid' }),
    ).toBe(
      'Bearer realm="Catalog API", error="invalid_token", error_description="The credential is not valid", ' +
        'resource_metadata="https://api.example/.well-known/oauth-protected-resource/v1"',
    );
  });
});
