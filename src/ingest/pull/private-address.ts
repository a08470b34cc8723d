import ipaddr from 'ipaddr.js';

/** With it an IPv6 address of a network without IPv4 contains one of the internet (NAT64, RFC 6052). */
const nat64 = ipaddr.parseCIDR('64:ff9b::/96');
/** What is given to hosts of the internet so far. */
const global = ipaddr.parseCIDR('2000::/3');

/** Whether an IP address is of this machine, of a private network, of a tunnel, or of none (IANA's registries). */
export function isPrivateAddress(address: string): boolean {
  const parsed = ipaddr.process(address);
  if (parsed instanceof ipaddr.IPv4) return parsed.range() !== 'unicast';
  if (parsed.match(nat64)) return isPrivateAddress(ipaddr.fromByteArray(parsed.toByteArray().slice(12)).toString());
  return !parsed.match(global) || parsed.range() !== 'unicast';
}
