import { isIPv4, isIPv6 } from 'node:net';

/** One bucket per key: the API key and every token minted from it share it, over both surfaces (D18). */
export const keyBucket = ({ shop, clientId }: { shop: { id: string }; clientId: string }): string =>
  `key:${shop.id}:${clientId}`;

/** Calls without a valid credential, and those answered before one is looked at, count against their address (D19). */
export const addressBucket = (address: string | undefined): string => `ip:${toAddressGroup(address)}`;

/** Failed authentications at the token endpoint, apart from the API's own buckets (D13). */
export const tokenBucket = (address: string | undefined): string => `token:${toAddressGroup(address)}`;

/**
 * Whoever has one IPv6 address has the 2^64 addresses of its network, so the network is what counts. An IPv4 address
 * is the same whether a socket reports it plainly or mapped into IPv6 (RFC 4291 2.5.5.2).
 */
function toAddressGroup(address = ''): string {
  if (isIPv4(address)) return address;
  const [plain = ''] = address.split('%');
  if (!isIPv6(plain)) return 'unknown';
  const groups = toGroups(plain);
  const [sixth = 0, seventh = 0, eighth = 0] = groups.slice(5);
  if (sixth === 0xffff && groups.slice(0, 5).every((group) => group === 0)) {
    return [seventh >> 8, seventh & 255, eighth >> 8, eighth & 255].join('.');
  }
  const network = groups.slice(0, 4).map((group) => group.toString(16));
  return `${network.join(':')}::/64`;
}

/** The eight 16-bit groups of a valid IPv6 address. */
function toGroups(address: string): number[] {
  const hexadecimal = address.replace(/\d{1,3}\.\d{1,3}\.\d{1,3}\.\d{1,3}$/, (dotted) => {
    const [a = 0, b = 0, c = 0, d = 0] = dotted.split('.').map(Number);
    return `${((a << 8) | b).toString(16)}:${((c << 8) | d).toString(16)}`;
  });
  const [head = '', tail] = hexadecimal.split('::');
  const toNumbers = (text: string) => (text === '' ? [] : text.split(':').map((group) => Number.parseInt(group, 16)));
  const front = toNumbers(head);
  if (tail === undefined) return front;
  const back = toNumbers(tail);
  return [...front, ...Array<number>(8 - front.length - back.length).fill(0), ...back];
}
