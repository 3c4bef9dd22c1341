// The network that a caller's address counts as: an IPv4 address itself, or the first 64 bits of an IPv6 address, since one
// customer usually has a whole /64. And the part of an address that a log may show.

import ipaddr from 'ipaddr.js';

const IPV6_PREFIX_BITS = 64;

export function networkOf(address: string): string {
  if (!ipaddr.isValid(address)) return address;
  const parsed = ipaddr.process(address);
  if (parsed.kind() === 'ipv4') return parsed.toString();
  return prefixOf(parsed, IPV6_PREFIX_BITS);
}

const MASKED_IPV6_BITS = 48;

/** Enough to recognise a network, not a person: an IPv4 address with 0 as its last octet, or the /48 of an IPv6 address. */
export function maskAddress(address: string): string {
  if (!ipaddr.isValid(address)) return 'unknown';
  const parsed = ipaddr.process(address);
  return parsed.kind() === 'ipv4' ? parsed.toString().replace(/\d+$/, '0') : prefixOf(parsed, MASKED_IPV6_BITS);
}

function prefixOf(address: ipaddr.IPv4 | ipaddr.IPv6, bits: number): string {
  const bytes = address.toByteArray().fill(0, bits / 8);
  return `${ipaddr.fromByteArray(bytes).toString()}/${bits}`;
}
