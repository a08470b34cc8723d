import { z } from 'zod';
import ipaddr from 'ipaddr.js';
import { PlatformClient } from '../../src/ingest/pull/platform-client';
import { isPrivateAddress } from '../../src/ingest/pull/private-address';
import { fc } from '../support/properties';
import { failure } from './pull-harness';
import { json, startPlatform } from './platform-server';

const client = (allowed: { allowPrivate?: boolean; followRedirects?: boolean } = {}): PlatformClient =>
  new PlatformClient({ allowPrivate: false, followRedirects: false, wait: () => Promise.resolve(), log: () => undefined, ...allowed }); // prettier-ignore

/** IANA's special-purpose registries as of 2026: what is not globally reachable, and what ends at a relay or tunnel. */
const special: readonly string[] = [
  ...['0.0.0.0/8', '10.0.0.0/8', '100.64.0.0/10', '127.0.0.0/8', '169.254.0.0/16', '172.16.0.0/12', '192.0.0.0/24'],
  ...['192.0.2.0/24', '192.88.99.0/24', '192.168.0.0/16', '198.18.0.0/15', '198.51.100.0/24', '203.0.113.0/24'],
  ...['224.0.0.0/4', '240.0.0.0/4', '255.255.255.255/32'],
  ...['::1/128', '::/128', '::/96', '::ffff:0:0:0/96', '64:ff9b:1::/48', '100::/64', '100:0:0:1::/64', '2001::/23'],
  ...['2001::/32', '2001:2::/48', '2001:db8::/32', '2001:10::/28', '2001:20::/28', '2002::/16', '3fff::/20'],
  ...['5f00::/16', 'fc00::/7', 'fe80::/10', 'fec0::/10', 'ff00::/8', '4000::/3', '8000::/3'],
];

/** Any address of a network, as bytes. */
const addressIn = (network: string): fc.Arbitrary<Uint8Array> => {
  const [first, bits] = ipaddr.parseCIDR(network);
  const bytes = first.toByteArray();
  return fc.uint8Array({ minLength: bytes.length, maxLength: bytes.length }).map((random) =>
    random.map((byte, index) => {
      const mask = 0xff >> Math.max(0, Math.min(8, bits - index * 8));
      return ((bytes[index] as number) & ~mask) | (byte & mask);
    }),
  );
};

const toText = (bytes: Uint8Array): string => ipaddr.fromByteArray([...bytes]).toString();
const toHex = (address: string): string => ipaddr.IPv4.parse(address).toIPv4MappedAddress().toString().slice(7);
/** How an address can be written or embedded. */
const forms: readonly ((address: string) => string)[] = [
  (address) => address,
  (address) => `::ffff:${address}`,
  (address) => `::ffff:${toHex(address)}`,
  (address) => `64:ff9b::${address}`,
  (address) => `64:ff9b::${toHex(address)}`,
];

describe('an address of this machine or a private network', () => {
  it.each(special)('is every one of %s, in every form', (network) => {
    fc.assert(
      fc.property(addressIn(network), fc.constantFrom(...forms), (bytes, form) => {
        const address = toText(bytes);
        expect([address, isPrivateAddress(bytes.length === 4 ? form(address) : address)]).toEqual([address, true]);
      }),
    );
  });

  it.each(['127.0.0.1', '10.1.2.3', '169.254.169.254'])('is %s in obsolete forms', (address) => {
    for (const form of [`::${address}`, `::${toHex(address)}`, `::ffff:0:${address}`, `2002:${toHex(address)}::1`]) {
      expect([form, isPrivateAddress(form)]).toEqual([form, true]);
    }
  });

  it.each(['1.1.1.1', '8.8.8.8', '172.32.0.1', '100.128.0.1', '192.169.0.1', '203.0.114.1', '223.255.255.255'])(
    'is not %s, in every form',
    (address) => {
      expect(forms.map((form) => form(address)).filter((form) => isPrivateAddress(form))).toEqual([]);
    },
  );

  it.each(['2606:4700::1111', '2a00:1450::1', '2001:4860:4860::8888', '2003::1', '3ffe::1'])('is not %s', (address) => {
    expect(isPrivateAddress(address)).toBe(false);
  });
});

describe('the client of platforms', () => {
  it.each([
    'https://127.0.0.1:8443/x',
    'https://2130706433/x',
    'https://0x7f.1/x',
    'https://[::1]/x',
    'https://[::ffff:10.0.0.1]/x',
    'https://localhost/x',
    'https://169.254.169.254/latest/meta-data',
  ])('does not connect to %s', async (url) => {
    expect(await failure(client().json({ url: new URL(url) }, z.unknown()))).toMatch(
      /^(?:\S+: is|localhost: resolves to \S+,) a loopback or private IP address: pass --allow-private/,
    );
  });

  it('does not send a credential over http', async () => {
    expect(await failure(client().json({ url: new URL('http://shop.example') }, z.unknown()))).toBe(
      'http://shop.example: expected an https URL: the credential must not be sent over plain http',
    );
  });

  it('sends a credential to no other origin, also where redirects are followed', async () => {
    const other = await startPlatform(() => json('there'));
    const first = await startPlatform(
      ({ url }) =>
      url.pathname === '/same' ? json('here') : { status: 302, headers: { Location: url.pathname === '/a' ? `${other.url.href}b` : '/same' } }, // prettier-ignore
    );
    try {
      const headers = { Authorization: 'Basic secret' };
      const following = client({ allowPrivate: true, followRedirects: true });
      const elsewhere = { url: new URL('/a', first.url) };
      expect(await failure(following.json({ ...elsewhere, headers }, z.unknown()))).toContain(
        `${other.url.href}b: set --url to`,
      );
      expect(other.seen).toEqual([]);
      expect((await following.json(elsewhere, z.unknown())).value).toBe('there');
      expect((await following.json({ url: new URL('/c', first.url), headers }, z.unknown())).value).toBe('here');
      expect(first.seen.at(-1)?.headers.authorization).toBe('Basic secret');
      const loop = await startPlatform(() => ({ status: 302, headers: { Location: '/' } }));
      expect(await failure(following.json({ url: loop.url }, z.unknown()))).toContain('more than 5 redirects');
      await loop.close();
    } finally {
      await Promise.all([first.close(), other.close()]);
    }
  });
});
