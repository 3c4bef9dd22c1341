// Classifies one IP address by its bytes: may our servers connect to it? Only certain global unicast is 'public'. Special,
// translated, tunnelled and unknown addresses are 'refused'. Loopback has its own kind because development may allow it.
// Names are not handled here: the caller passes every address that a name resolved to.

import { isIP } from 'node:net';
import ipaddr from 'ipaddr.js';

export type AddressKind = 'public' | 'loopback' | 'refused';

/** The text of an address as a resolver or the URL parser writes it; any other spelling is refused. */
export function classifyAddress(text: string): AddressKind {
  const family = isIP(text);
  if (family === 0 || text.includes('%')) return 'refused';
  return family === 4 ? classifyIPv4(ipaddr.IPv4.parse(text)) : classifyIPv6(ipaddr.IPv6.parse(text));
}

/** In the public range, but internal to one cloud: its host agent, DNS and health probes. */
const HOST_AGENT = '168.63.129.16';

function classifyIPv4(address: ipaddr.IPv4): AddressKind {
  const range = address.range();
  if (range === 'loopback') return 'loopback';
  if (address.toString() === HOST_AGENT) return 'refused';
  return range === 'unicast' ? 'public' : 'refused';
}

/** Only 2000::/3 was ever allocated. ipaddr.js excludes its special blocks; two more are excluded here. */
function classifyIPv6(address: ipaddr.IPv6): AddressKind {
  const range = address.range();
  if (range === 'loopback') return 'loopback';
  const [first = 0, , , , fifth = 0, sixth = 0] = address.parts;
  const isAllocated = first >= 0x2000 && first <= 0x3fff;
  const sixBone = first === 0x3ffe;
  const isatap = sixth === 0x5efe && (fifth & ~0x0200) === 0;
  return range === 'unicast' && isAllocated && !sixBone && !isatap ? 'public' : 'refused';
}
