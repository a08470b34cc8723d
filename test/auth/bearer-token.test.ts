import { parseBearerToken } from '../../src/auth/authenticator';
import { readRows } from '../support/read-rows';

describe('the Authorization header (D16)', () => {
  it.each(readRows<[string, string[], unknown]>(__dirname, 'bearer-tokens.json'))(
    'reads %s',
    (_, headers, presented) => {
      expect(parseBearerToken(headers)).toEqual(presented);
    },
  );
});
