import { createSecret } from '../../src/auth/api-key';
import { createLog } from '../../src/observability/log';
import { maskLine } from '../../src/privacy/masked-line';
import { jsonLog } from '../support/memory-log';

const mask = (value: unknown): unknown => JSON.parse(maskLine(`${JSON.stringify(value)}\n`));
const secret = createSecret('');
const token = `${Buffer.from('{"alg":"ES256"}').toString('base64url')}.${Buffer.from('{"sub":"x"}').toString('base64url')}.c2ln`;

describe('a line of the log (D25)', () => {
  it.each([
    ['an e-mail address', 'of anna@customers.example, late', 'of [e-mail address], late'],
    ['a full-width at sign', 'anna＠customers.example', '[e-mail address]'],
    [
      'an address in a query string',
      '/v1/products?q=anna%40customers.example&limit=1',
      '/v1/products?q=[e-mail address]&limit=1',
    ],
    ['an API key', `key ck_abc123.${secret} is`, 'key ck_abc123.[secret] is'],
    ['the secret alone', `(${secret})`, '([secret])'],
    ['a bearer token', 'Authorization: Bearer hunter2', 'Authorization: Bearer [credential]'],
    ['Basic in any case', 'BASIC YTpi', 'BASIC [credential]'],
    ['an access token', `token=${token}`, 'token=[token]'],
    ['an access token after a hyphen', `at-${token}`, 'at-[token]'],
    ['the password of a URL', 'postgresql://u:p@db.internal/x', 'postgresql://[credential] db.internal/x'],
  ])('loses %s', (_what, text, masked) => {
    expect(mask({ msg: text })).toEqual({ msg: masked });
    expect(mask({ err: { cause: [{ message: text }] } })).toEqual({ err: { cause: [{ message: masked }] } });
    expect(mask({ [text]: 1 })).toEqual({ [masked]: 1 });
  });

  it.each([
    'authorization',
    'Authorization',
    'password',
    'client_secret',
    'clientSecret',
    'api-key',
    'access_token',
    'set-cookie',
  ])('loses whatever the member %s contains', (name) => {
    expect(mask({ headers: { [name]: ['short'] } })).toEqual({ headers: { [name]: '[secret]' } });
  });

  it.each([
    { msg: 'nothing private' },
    { msg: 'a digest e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855' },
    { clientId: 'ck_7n42DGM5Tflk9n8mt7Fhc7ABCDEFGHIJ', tokens: 3, shopId: '6cc6c5b4-57bd-4cbd-afc1-ee9f4b519fbf' },
    { msg: 'Ünïcödé, 3 @ 5.50' },
  ])('is unchanged otherwise: %j', (value) => {
    expect(mask(value)).toEqual(value);
  });

  it('stays one line of JSON when an address is in quotes', () => {
    expect(mask({ msg: 'said "anna@customers.example"' })).toEqual({ msg: 'said "[e-mail address]"' });
  });
});

describe('createLog', () => {
  it('writes nothing at the level silent', () => {
    const lines: string[] = [];
    const log = createLog({ ...jsonLog, logLevel: 'silent' }, { write: (line: string) => void lines.push(line) });
    log.fatal('x');
    expect(lines).toEqual([]);
  });

  it('masks messages, errors and their causes', () => {
    const lines: string[] = [];
    const log = createLog(jsonLog, { write: (line: string) => void lines.push(line) });
    const cause = Object.assign(new Error('of bob@customers.example'), { detail: { password: 'x1' } });
    log.error({ err: new Error(`with ${secret}`, { cause }) }, 'asked by bob@customers.example');
    expect(lines).toHaveLength(1);
    expect(lines[0]).not.toMatch(/bob|x1"/);
    expect(lines[0]).not.toContain(secret);
  });
});
