import { isIPv6 } from 'node:net';
import { fc } from '../support/properties';
import { addressBucket, tokenBucket } from '../../src/rate-limit/rate-limiter';

describe('names of rate limit buckets (D18, D19)', () => {
  it('keeps failed authentications apart from the address bucket of the API (D13)', () => {
    expect([addressBucket('192.0.2.7'), tokenBucket('192.0.2.7')]).toEqual(['ip:192.0.2.7', 'token:192.0.2.7']);
  });

  it.each([
    ['an IPv4 address', '192.0.2.7', 'ip:192.0.2.7'],
    ['an IPv4 address mapped into IPv6', '::ffff:192.0.2.7', 'ip:192.0.2.7'],
    ['the same in hexadecimal', '::FFFF:c000:207', 'ip:192.0.2.7'],
    ['the same written in full', '0:0:0:0:0:ffff:c000:0207', 'ip:192.0.2.7'],
    ['an IPv6 address', '2001:db8:1:2:3:4:5:6', 'ip:2001:db8:1:2::/64'],
    ['another address of that network', '2001:0DB8:0001:0002:ffff::1', 'ip:2001:db8:1:2::/64'],
    ['a compressed address', '2001:db8::1', 'ip:2001:db8:0:0::/64'],
    ['an address with a zone', 'fe80::1%eth0', 'ip:fe80:0:0:0::/64'],
    ['the loopback address', '::1', 'ip:0:0:0:0::/64'],
    ['an address that ends in IPv4 and is not mapped', '64:ff9b::192.0.2.7', 'ip:64:ff9b:0:0::/64'],
    ['the unspecified address', '::', 'ip:0:0:0:0::/64'],
    ['a part of an IPv4 address', '127.1', 'ip:unknown'],
    ['an IPv4 address in hexadecimal', '0x7f.0.0.1', 'ip:unknown'],
    ['an IPv4 address as one number', '2130706433', 'ip:unknown'],
    ['a network', '2001:db8::/32', 'ip:unknown'],
    ['a closed socket', undefined, 'ip:unknown'],
    ['something else', "1'; DROP", 'ip:unknown'],
  ])('groups %s', (_, address, bucket) => {
    expect(addressBucket(address)).toBe(bucket);
  });

  it('groups an address in the same way, however a proxy writes it', () => {
    const spellings: readonly ((address: string, port: number) => string)[] = [
      (address) => address,
      (address) => `"${address}"`,
      (address) => ` ${address} `,
      (address, port) => (isIPv6(address) ? `[${address}]:${port}` : `${address}:${port}`),
      (address, port) => (isIPv6(address) ? `"[${address}]:${port}"` : `"${address}:${port}"`),
      (address) => (isIPv6(address) ? `[${address}]` : address),
    ];
    const address = fc.oneof(fc.ipV4(), fc.ipV6());
    fc.assert(
      fc.property(address, address, fc.nat(65_535), fc.constantFrom(...spellings), (one, other, port, spell) => {
        const bucket = addressBucket(one);
        expect(bucket).not.toBe('ip:unknown');
        expect(addressBucket(spell(one, port))).toBe(bucket);
        // Two callers share a bucket exactly if they would without the port.
        expect(addressBucket(spell(other, port)) === bucket).toBe(addressBucket(other) === bucket);
      }),
    );
  });

  it.each([
    '192.0.2.7:',
    '192.0.2.7:x',
    '192.0.2.7:80:90',
    '[2001:db8::1',
    '2001:db8::1]:80',
    '[192.0.2.7',
    'host:80',
    '',
  ])('does not mistake %j for an address', (text) => expect(addressBucket(text)).toBe('ip:unknown'));
});
