import ipaddr from 'ipaddr.js';

/** IPv6 addresses that contain an IPv4 address (NAT64, RFC 6052). */
const nat64 = ipaddr.parseCIDR('64:ff9b::/96');
/** The global unicast addresses that IANA has assigned so far. */
const global = ipaddr.parseCIDR('2000::/3');

/** Whether an IP address is loopback, private, a tunnel or otherwise not public (IANA special-purpose registries). */
export function isPrivateAddress(address: string): boolean {
  const parsed = ipaddr.process(address);
  if (parsed instanceof ipaddr.IPv4) return parsed.range() !== 'unicast';
  if (parsed.match(nat64)) return isPrivateAddress(ipaddr.fromByteArray(parsed.toByteArray().slice(12)).toString());
  return !parsed.match(global) || parsed.range() !== 'unicast';
}
