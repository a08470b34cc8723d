import { BlockList, isIPv6 } from 'node:net';

/** Networks that belong to no host of the internet (IANA's special-purpose registries, RFC 6890). */
const networks: readonly (readonly [string, number])[] = [
  ['0.0.0.0', 8],
  ['10.0.0.0', 8],
  ['100.64.0.0', 10],
  ['127.0.0.0', 8],
  ['169.254.0.0', 16],
  ['172.16.0.0', 12],
  ['192.0.0.0', 24],
  ['192.0.2.0', 24],
  ['192.168.0.0', 16],
  ['198.18.0.0', 15],
  ['198.51.100.0', 24],
  ['203.0.113.0', 24],
  ['224.0.0.0', 3],
];

const networksOfIPv6: readonly (readonly [string, number])[] = [
  ['::', 127],
  ['64:ff9b:1::', 48],
  ['100::', 64],
  ['2001:db8::', 32],
  ['fc00::', 7],
  ['fe80::', 9],
  ['ff00::', 8],
];

/**
 * Prefixes with which an IPv6 address contains one of IPv4: NAT64 (RFC 6052), compatible (RFC 4291) and 6to4 (RFC
 * 3056).
 */
const containing = [
  { bits: 96, toAddress: (hex: string) => `64:ff9b::${hex}` },
  { bits: 96, toAddress: (hex: string) => `::${hex}` },
  { bits: 16, toAddress: (hex: string) => `2002:${hex}::` },
];

const blocked = new BlockList();
for (const [network, bits] of networks) {
  // The list applies these to IPv4-mapped addresses, too.
  blocked.addSubnet(network, bits, 'ipv4');
  const hex = network.split('.').map((byte) => Number(byte).toString(16).padStart(2, '0'));
  const groups = `${hex.slice(0, 2).join('')}:${hex.slice(2).join('')}`;
  for (const { bits: before, toAddress } of containing) {
    blocked.addSubnet(toAddress(groups), before + bits, 'ipv6');
  }
}
for (const [network, bits] of networksOfIPv6) blocked.addSubnet(network, bits, 'ipv6');

/**
 * Whether an IP address is of this machine, of a private network or of none, in whatever form it is contained in
 * another.
 */
export const isPrivateAddress = (address: string): boolean => blocked.check(address, isIPv6(address) ? 'ipv6' : 'ipv4');
