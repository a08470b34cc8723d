import { collectScope, parseDomain, parseDuration, parseHttpUrl, parseProductLimit } from '../../src/cli/option-values';
import { textTable } from '../../src/cli/text-table';

describe('a duration', () => {
  it.each([
    ['0s', 0],
    ['90s', 90_000],
    ['30d', 2_592_000_000],
    ['36525d', 3_155_760_000_000],
  ])('%s is %i ms', (text, milliseconds) => expect(parseDuration(text)).toBe(milliseconds));

  it.each(['', '90', 's', '1.5h', '-1h', '1 h', '1H', '1w', '1h30m', '36526d', '99999999999999999999s', '٣h'])(
    '%j is rejected',
    (text) => expect(() => parseDuration(text)).toThrow(/Expected a duration/),
  );
});

describe('a domain', () => {
  it.each([
    ['shop.example', 'shop.example'],
    ['Shop.Example', 'shop.example'],
    ['localhost:8080', 'localhost:8080'],
    ['käse.example', 'käse.example'],
    ['日本.example', '日本.example'],
  ])('%s is %s', (text, domain) => expect(parseDomain(text)).toBe(domain));

  it.each([
    '',
    'https://shop.example',
    'shop.example/',
    'a b',
    '.example',
    'a@b.example',
    'a.example:',
    'a.example:65536',
    'a\n',
    'a'.repeat(254),
  ])('%j is rejected', (text) => expect(() => parseDomain(text)).toThrow(/Expected a domain/));
});

it('the path of a URL does not begin another host', () =>
  expect(parseHttpUrl('https://shop.example//b').pathname).toBe('/b'));

describe('a product limit', () => {
  it.each([
    ['none', 'none'],
    ['0', 0],
    ['2147483647', 2_147_483_647],
  ])('%s is %s', (text, limit) => expect(parseProductLimit(text)).toBe(limit));

  it.each(['', '-1', '1e3', '0x10', '2147483648', 'null', 'None'])('%j is rejected', (text) =>
    expect(() => parseProductLimit(text)).toThrow(/or none/),
  );
});

describe('scopes', () => {
  it('appear once each, in the order of the specification', () => {
    const collected = ['account:read', 'catalog:read', 'account:read'].reduce<ReturnType<typeof collectScope>>(
      (scopes, scope) => collectScope(scope, scopes),
      [],
    );
    expect(collected).toEqual(['catalog:read', 'account:read']);
  });
});

describe('a table', () => {
  it('aligns wide characters too', () => {
    expect(
      textTable(
        ['A', 'B'],
        [
          ['日本', 'x'],
          ['🌧️', 'y'],
          ['ä', 'z'],
        ],
      ),
    ).toBe('A     B\n日本  x\n🌧️    y\nä     z');
  });
});
