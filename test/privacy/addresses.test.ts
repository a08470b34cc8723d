import topLevelDomains from 'tlds';
import { holdsAddress, maskAddresses, mayHoldAddress, removeAddresses } from '../../src/privacy/addresses';
import { innocentTexts, spellings } from './corpus';
import { findAddressesNaively } from './naive-detector';
import { rewritings, rewritingsOfCommonDomains } from './rewritings';
import { fc } from '../support/properties';

describe('an e-mail address (D25)', () => {
  it.each(spellings)('is found in the spelling: %s', (_, text) => {
    expect(holdsAddress(text)).toBe(true);
    expect(holdsAddress(`Order of ${text}, late`)).toBe(true);
    expect(mayHoldAddress(JSON.stringify(text))).toBe(true);
    // Letters of the local part, the domain, or their replacements: none may remain.
    expect(removeAddresses(text)?.normalize('NFKC').toLowerCase() ?? '').not.toMatch(/example|mailhost|@/);
    expect(findAddressesNaively(removeAddresses(`Order of ${text}, late`) ?? '')).toEqual([]);
    expect(findAddressesNaively(maskAddresses(`Order of ${text}, late`))).toEqual([]);
  });

  it.each(innocentTexts)('is not found in %j', (text) => {
    expect(removeAddresses(text)).toBe(text);
    expect(maskAddresses(text)).toBe(text);
  });

  it.each([
    ['Bob <a@b.example>', 'Bob'],
    ['Bob<a@b.example>', 'Bob'],
    ['"Bob B." <mailto:a@b.example>', 'Bob B.'],
    ['Bob (a@b.example)', 'Bob'],
    ['Bob (Jr.) <a@b.example>', 'Bob (Jr.)'],
    ['a@b.example, Bob', 'Bob'],
    ['Ann - a@b.example / c@d.example', 'Ann'],
    ['"a b"@c.example Ann', 'Ann'],
    ['Zoë ünï@dömain.例え', 'Zoë'],
    ['a@b@c.example Bob', 'Bob'],
    ['½ Ōsaka & Söhne ﬁ <a%40b.example>', '½ Ōsaka & Söhne ﬁ'],
    ['Bob [at] work <bob@work.com>', 'Bob [at] work'],
  ])('leaves the rest of %s unchanged', (name, expected) => {
    expect(removeAddresses(name)).toBe(expected);
  });

  it.each(['Bob a＠b。example', 'Bob [at] work <bob[at]work[dot]com>', 'Bob <a@ex<b>am</b>ple.com>'])(
    'removes all of %s, which only shows in another spelling',
    (name) => {
      expect(removeAddresses(name)).toBeNull();
      expect(maskAddresses(name)).toBe('[e-mail address]');
      expect(maskAddresses(`status: got "${name}".`)).toBe('status: got [e-mail address].');
    },
  );

  it.each(['a@b.example', '<a@b.example>', '"a b"@c.example', 'a@[192.168.0.1]', 'a@192.168.0.1', 'a @ b.example'])(
    'removes all of %s, which is only an address',
    (name) => {
      expect(removeAddresses(name)).toBeNull();
    },
  );

  it.each([
    ['?q=bob%40example.com&limit=1', '?q=[e-mail address]&limit=1'],
    ['limit: got "bob@example.com".', 'limit: got "[e-mail address]".'],
    ['of bob@example.com, late', 'of [e-mail address], late'],
  ])('is masked in %s, and the text around it stays', (text, masked) => {
    expect(maskAddresses(text)).toBe(masked);
  });
});

describe('any address in any spelling at any place', () => {
  const local = fc.stringMatching(/^[a-z0-9][a-z0-9_+-]{0,8}(\.[a-z0-9]{1,5})?$/);
  const labels = fc.stringMatching(/^[a-z0-9]([a-z0-9-]{0,6}[a-z0-9])?(\.[a-z0-9]{1,6}){0,2}$/);
  const domain = fc.tuple(labels, fc.constantFrom(...topLevelDomains)).map((parts) => parts.join('.'));
  const address = fc.tuple(local, domain).map((parts) => parts.join('@'));
  const spelled = fc
    .tuple(address, fc.array(fc.constantFrom(...rewritings), { maxLength: 2 }))
    .map(([plain, steps]) => steps.reduce((text, [, rewrite]) => rewrite(text), plain));
  const around = fc.string({
    unit: fc.constantFrom(' ', '<', '>', '"', '(', ')', ',', '@', 'é', 'X', '.', '\\', '&', '%', ';', '\n', '＠', 'ﷺ'),
    maxLength: 12,
  });

  it('is found and removed in any two of the known spellings combined', () => {
    const overlooked: string[] = [];
    const all = [...rewritings, ...rewritingsOfCommonDomains];
    for (const [first, rewriteFirst] of all)
      for (const [second, rewriteSecond] of all) {
        const text = rewriteSecond(rewriteFirst('bob.b-smith@mail.example.co.uk'));
        const left = [removeAddresses(text) ?? '', maskAddresses(`Order of ${text}, late`)].join('\n');
        const isLeft = /exam|mple|smi|ith/.test(left.normalize('NFKC')) || findAddressesNaively(left).length > 0;
        if (isLeft || !mayHoldAddress(JSON.stringify(text))) overlooked.push(`${first}, ${second}: ${left}`);
      }
    expect(overlooked).toEqual([]);
  });

  it('is removed: the naive detector finds none in the remainder', () => {
    fc.assert(
      fc.property(around, spelled, around, (before, text, after) => {
        const whole = `${before} ${text} ${after}`;
        expect(findAddressesNaively(removeAddresses(whole) ?? '')).toEqual([]);
        expect(findAddressesNaively(maskAddresses(whole))).toEqual([]);
      }),
      { numRuns: 1_500 },
    );
  });
});

describe('malicious text', () => {
  // A quadratic scan takes minutes for each of these; the test's time limit is the assertion.
  it.each([
    '@', 'a@', '"@', '"a@b.c"@', ' @', 'a@b.', '\\"', 'a@b.example ', '<', '(', '"', 'a.', '@a.', '.@.', '@ ', 'mailto:',
    '%', '%25', '%4', '%3', '%41', '&', '&#', '&#0', '&#64', '&#64;', '&amp;', '&#x40e', '(@)', '()@', ')@(', '(a)', '<a>@', '[at]',
    ' at ', ' at a dot ', ' dot ', 'a dot b at ', 'ﷺ', 'ﷺ@', '\u200b', '\u200b@', '\\u0040', '\\u00', '@[', '@[1:', ' . ', '. @', '%E2%80',
  ])('of 100 kB of %p is walked once', (part) => {
    const text = part.repeat(Math.ceil(100_000 / part.length));
    for (const name of [`${text}@b.example`, `a@b.example${text}`]) maskAddresses(name);
    removeAddresses(`${' '.repeat(100_000)}@${text}`);
  }); // prettier-ignore
});
