// Ranges of network addresses: CIDR notation, and whether an address lies in one of them.

import { BlockList, isIP } from 'node:net';

/** An IP address, or one with a prefix length, such as 10.0.0.0/8. */
export function isAddressRange(text: string): boolean {
  const [address = '', prefix, ...rest] = text.split('/');
  const family = isIP(address);
  if (family === 0 || rest.length > 0) return false;
  if (prefix === undefined) return true;
  return /^[0-9]{1,3}$/.test(prefix) && Number(prefix) <= (family === 4 ? 32 : 128);
}

/** Whether an address lies in one of the ranges; an IPv4 address written as ::ffff:… is the IPv4 address it stands for. */
export function addressIn(address: string, ranges: readonly string[]): boolean {
  const plain = address.replace(/^::ffff:(?=\d+\.\d+\.\d+\.\d+$)/i, '');
  const family = isIP(plain);
  if (family === 0) return false;
  const list = new BlockList();
  for (const range of ranges) {
    const [start = '', prefix] = range.split('/');
    const kind = isIP(start) === 4 ? 'ipv4' : 'ipv6';
    list.addSubnet(start, prefix === undefined ? (kind === 'ipv4' ? 32 : 128) : Number(prefix), kind);
  }
  return list.check(plain, family === 4 ? 'ipv4' : 'ipv6');
}
