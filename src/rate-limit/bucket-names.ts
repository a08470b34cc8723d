import { isIP } from 'node:net';
import ipaddr from 'ipaddr.js';

/** One bucket per key: the API key and every token issued for it share the bucket, over both surfaces (D18). */
export const keyBucket = ({ shop, clientId }: { shop: { id: string }; clientId: string }): string =>
  `key:${shop.id}:${clientId}`;

/** Refused credentials, and public documents, count against their address (D19). */
export const addressBucket = (address: string | undefined): string => `ip:${toAddressGroup(address)}`;

/** Failed authentications at the token endpoint, separate from the API's own buckets (D13). */
export const tokenBucket = (address: string | undefined): string => `token:${toAddressGroup(address)}`;

/**
 * The owner of one IPv6 address has the 2^64 addresses of its network, so the network is counted. An IPv4 address is
 * the same whether a socket reports it plainly or mapped into IPv6 (RFC 4291 2.5.5.2).
 */
function toAddressGroup(address = ''): string {
  const [plain = ''] = withoutPort(address).split('%');
  // The parser takes more than addresses: 127.1 too.
  if (isIP(plain) === 0) return 'unknown';
  const parsed = ipaddr.process(plain);
  if (parsed instanceof ipaddr.IPv4) return parsed.toString();
  const network = parsed.parts.slice(0, 4).map((part) => part.toString(16));
  return `${network.join(':')}::/64`;
}

/** Some proxies write the port into X-Forwarded-For, and some quote an address as Forwarded does (RFC 7239 6). */
function withoutPort(address: string): string {
  const { v4, v6 } = /^"?(?:(?<v4>[\d.]+)(?::\d+)?|\[(?<v6>[^\]]+)\](?::\d+)?)"?$/.exec(address.trim())?.groups ?? {};
  return v4 ?? v6 ?? address.trim().replace(/^"(.*)"$/, '$1');
}
