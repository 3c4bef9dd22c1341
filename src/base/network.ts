// The network that a caller's address counts as: an IPv4 address itself, or the first 64 bits of an IPv6 address, since one
// customer usually has a whole /64. And the address as people see it: enough to recognize a place, without its last part.

import ipaddr from 'ipaddr.js';

const IPV6_PREFIX_BITS = 64;

export function networkOf(address: string): string {
  if (!ipaddr.isValid(address)) return address;
  const parsed = ipaddr.process(address);
  if (parsed.kind() === 'ipv4') return parsed.toString();
  const bytes = parsed.toByteArray().fill(0, IPV6_PREFIX_BITS / 8);
  return `${ipaddr.fromByteArray(bytes).toString()}/${IPV6_PREFIX_BITS}`;
}

/** `203.0.113.7` as `203.0.113.…`, and of an IPv6 address the first 48 bits: `2001:db8:1:…`. */
export function maskAddress(address: string): string {
  if (!ipaddr.isValid(address)) return '…';
  const parsed = ipaddr.process(address);
  if (parsed.kind() === 'ipv4') return `${parsed.toByteArray().slice(0, 3).join('.')}.…`;
  const [first = 0, second = 0, third = 0] = (parsed as ipaddr.IPv6).parts;
  return `${[first, second, third].map((part) => part.toString(16)).join(':')}:…`;
}

const LOOPBACK = ['localhost', '127.0.0.1', '[::1]'];

/** Whether the host of an address, as `URL` writes it, is this machine itself. */
export function isLoopback(hostname: string): boolean {
  return LOOPBACK.includes(hostname);
}

/** The address of a server on this machine that listens on `port`. */
export function localUrl({ host }: { readonly host: string }, port: number): string {
  const name = host === '0.0.0.0' || host === '::' ? '127.0.0.1' : host;
  return `http://${name.includes(':') ? `[${name}]` : name}:${port}`;
}
