import fc from 'fast-check';
import { maskAddresses, scrubCustomerName, scrubTags } from '../../src/catalog/order/customer-privacy';

describe('an e-mail address in a customer name (D25)', () => {
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
    ['Bob a＠b。example', 'Bob'],
    ['a@b@c.example Bob', 'Bob'],
  ])('is taken out of %s', (name, expected) => {
    expect(scrubCustomerName(name)).toBe(expected);
  });

  it.each(['a@b.example', '<a@b.example>', '"a b"@c.example', 'a@[192.168.0.1]', 'a@192.168.0.1', 'a @ b.example'])(
    'leaves null of %s, which is only an address',
    (name) => {
      expect(scrubCustomerName(name)).toBeNull();
    },
  );

  it.each(['Bob', '', ' Bob ', '@home', '3 @ 5€', '3 @ 5.50', 'AC@DC', 'Bob @', null])('leaves %p as it is', (name) => {
    expect(scrubCustomerName(name)).toBe(name);
  });

  it('is nowhere in the result, whatever stands around it', () => {
    const address = fc.emailAddress();
    const around = fc.string({ unit: fc.constantFrom(' ', '<', '>', '"', '(', ')', ',', '@', 'é', 'X', '.', '\\') });
    fc.assert(
      fc.property(around, address, around, (before, email, after) => {
        expect(scrubCustomerName(`${before} ${email} ${after}`) ?? '').not.toContain(email);
        expect(maskAddresses(`${before} ${email} ${after}`)).not.toContain(email);
      }),
    );
  });
});

describe('an order tag that holds an e-mail address (D25)', () => {
  it('is dropped; the others stay, in their order', () => {
    expect(scrubTags(['vip', 'from a@b.example', '@home', 'b2b'])).toEqual(['vip', '@home', 'b2b']);
  });
});

describe('hostile text', () => {
  // Each of these takes a quadratic walk minutes; the test's own time limit is the assertion.
  it.each([
    '@', 'a@', '"@', '"a@b.c"@', ' @', 'a@b.', '\\"', 'a@b.example ', '<', '(', '"', 'a.', '@a.', '.@.', '@ ', 'mailto:',
  ])('of 200 kB of %p is walked once', (part) => {
    const text = part.repeat(Math.ceil(200_000 / part.length));
    for (const name of [text, `${text}@b.example`, `a@b.example${text}`, `${' '.repeat(200_000)}@${text}`]) {
      scrubCustomerName(name);
      scrubTags([name]);
    }
  }); // prettier-ignore
});
