import { parseBearerToken } from '../../src/auth/authenticator';
import { bearerChallenge } from '../../src/auth/challenge';

describe('the Authorization header (D16)', () => {
  it.each<[string, string[], unknown]>([
    ['no header', [], { kind: 'none', value: '' }],
    ['an empty header', [''], { kind: 'none', value: '' }],
    ['another scheme', ['Basic Y2s6eA=='], { kind: 'none', value: 'Basic Y2s6eA==' }],
    ['a scheme that begins like ours', ['BearerToken abc'], { kind: 'none', value: 'BearerToken abc' }],
    ['a token', ['Bearer abc.DEF-1_2~+/=='], { kind: 'token', token: 'abc.DEF-1_2~+/==' }],
    ['the scheme in lower case', ['bearer abc'], { kind: 'token', token: 'abc' }],
    ['the scheme in upper case', ['BEARER abc'], { kind: 'token', token: 'abc' }],
    ['several spaces', ['Bearer   abc'], { kind: 'token', token: 'abc' }],
    ['the scheme alone', ['Bearer'], { kind: 'malformed' }],
    ['the scheme and a space', ['Bearer '], { kind: 'malformed' }],
    ['a tab for a space', ['Bearer \tabc'], { kind: 'malformed' }],
    ['two tokens', ['Bearer abc def'], { kind: 'malformed' }],
    ['two credentials in one header', ['Bearer abc, Bearer def'], { kind: 'malformed' }],
    ['characters no token has', ['Bearer a"b'], { kind: 'malformed' }],
    ['padding in the middle', ['Bearer a=b'], { kind: 'malformed' }],
    ['a no-break space behind', ['Bearer abc\u00a0'], { kind: 'malformed' }],
    ['a no-break space in front', ['\u00a0Bearer abc'], { kind: 'none', value: '\u00a0Bearer abc' }],
    ['a vertical tab behind', ['Bearer abc\v'], { kind: 'malformed' }],
    ['a form feed behind', ['Bearer abc\f'], { kind: 'malformed' }],
    ['a line feed behind', ['Bearer abc\n'], { kind: 'malformed' }],
    ['a carriage return behind', ['Bearer abc\r'], { kind: 'malformed' }],
    ['a byte order mark in front', ['\ufeffBearer abc'], { kind: 'none', value: '\ufeffBearer abc' }],
    ['two headers', ['Bearer abc', 'Bearer abc'], { kind: 'malformed' }],
    ['two headers, one empty', ['Bearer abc', ''], { kind: 'malformed' }],
  ])('reads %s', (_, headers, presented) => {
    expect(parseBearerToken(headers)).toEqual(presented);
  });

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
