// The network that an address stands for when somebody is counted by it: an IPv4 address itself, of an IPv6 address the
// first 64 bits, since that is what one person has.

import ipaddr from 'ipaddr.js';

const WHOLE = 64;

export function networkOf(address: string): string {
  if (!ipaddr.isValid(address)) return address;
  const parsed = ipaddr.process(address);
  if (parsed.kind() === 'ipv4') return parsed.toString();
  const bytes = parsed.toByteArray().fill(0, WHOLE / 8);
  return `${ipaddr.fromByteArray(bytes).toString()}/${WHOLE}`;
}
