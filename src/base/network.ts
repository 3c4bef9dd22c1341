// The network that a caller's address counts as: an IPv4 address itself, or the first 64 bits of an IPv6 address, since one
// customer usually has a whole /64.

import ipaddr from 'ipaddr.js';

const IPV6_PREFIX_BITS = 64;

export function networkOf(address: string): string {
  if (!ipaddr.isValid(address)) return address;
  const parsed = ipaddr.process(address);
  if (parsed.kind() === 'ipv4') return parsed.toString();
  const bytes = parsed.toByteArray().fill(0, IPV6_PREFIX_BITS / 8);
  return `${ipaddr.fromByteArray(bytes).toString()}/${IPV6_PREFIX_BITS}`;
}
