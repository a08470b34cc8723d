import { PlatformClient } from '../../src/ingest/pull/platform-client';
import { isPrivateAddress } from '../../src/ingest/pull/private-address';
import { fc } from '../support/properties';
import { failure } from './pull-harness';
import { json, startPlatform } from './platform-server';

const client = (allowed: { allowPrivate?: boolean; followRedirects?: boolean } = {}): PlatformClient =>
  new PlatformClient({ allowPrivate: false, followRedirects: false, wait: () => Promise.resolve(), log: () => undefined, ...allowed }); // prettier-ignore

const inside = [
  '127.0.0.1',
  '10.1.2.3',
  '172.31.255.255',
  '192.168.0.1',
  '169.254.169.254',
  '100.64.0.1',
  '0.0.0.0',
  '224.0.0.1',
  '255.255.255.255',
];
const outside = ['1.1.1.1', '8.8.8.8', '172.32.0.1', '100.128.0.1', '192.169.0.1', '203.0.114.1'];

const toHex = (address: string): string => {
  const bytes = address.split('.').map((byte) => Number(byte).toString(16).padStart(2, '0'));
  return `${bytes.slice(0, 2).join('')}:${bytes.slice(2).join('')}`;
};
const forms: readonly ((address: string) => string)[] = [
  (address) => address,
  (address) => `::ffff:${address}`,
  (address) => `::ffff:${toHex(address)}`,
  (address) => `64:ff9b::${address}`,
  (address) => `::${address}`,
  (address) => `2002:${toHex(address)}::1`,
];

describe('an address of this machine or a private network', () => {
  it.each(inside)('is %s, in every form', (address) => {
    expect(forms.map((form) => form(address)).filter((form) => !isPrivateAddress(form))).toEqual([]);
  });

  it.each(outside)('is not %s', (address) => {
    expect(forms.map((form) => form(address)).filter((form) => isPrivateAddress(form))).toEqual([]);
  });

  it.each(['::1', '::', 'fc00::1', 'fdff::1', 'fe80::1', 'fec0::1', 'ff02::1', '2001:db8::1', '64:ff9b:1::1'])(
    'is %s',
    (address) => {
      expect(isPrivateAddress(address)).toBe(true);
    },
  );

  it.each(['2606:4700::1111', '2a00:1450::1', '2001:4860:4860::8888'])('is not %s', (address) => {
    expect(isPrivateAddress(address)).toBe(false);
  });

  it('is every address of the networks, in every form', () => {
    fc.assert(
      fc.property(fc.integer({ min: 0, max: 2 ** 24 - 1 }), fc.constantFrom(...forms), (rest, form) => {
        const address = `10.${rest >> 16}.${(rest >> 8) & 255}.${rest & 255}`;
        expect(isPrivateAddress(form(address))).toBe(true);
      }),
    );
  });
});

describe('the client of platforms', () => {
  it.each([
    'https://127.0.0.1/x',
    'https://2130706433/x',
    'https://0x7f.1/x',
    'https://[::1]/x',
    'https://[::ffff:10.0.0.1]/x',
    'https://localhost/x',
    'https://169.254.169.254/latest/meta-data',
  ])('does not connect to %s', async (url) => {
    expect(await failure(client().json({ url: new URL(url) }))).toMatch(
      /of this machine or of a private network: allow it with --allow-private/,
    );
  });

  it('does not send a credential over http', async () => {
    expect(await failure(client().json({ url: new URL('http://shop.example') }))).toBe(
      'http://shop.example: expected https, which protects the credential on its way',
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
      expect((await following.json({ url: new URL('/a', first.url), headers })).value).toBe('there');
      expect(other.seen.map((one) => one.headers.authorization)).toEqual([undefined]);
      expect((await following.json({ url: new URL('/c', first.url), headers })).value).toBe('here');
      expect(first.seen.at(-1)?.headers.authorization).toBe('Basic secret');
      const loop = await startPlatform(() => ({ status: 302, headers: { Location: '/' } }));
      expect(await failure(following.json({ url: loop.url }))).toContain('more than 5 redirects');
      await loop.close();
    } finally {
      await Promise.all([first.close(), other.close()]);
    }
  });
});
