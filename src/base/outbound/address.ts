// Judges one IP address by its bytes: may a server of ours connect to it? Only what is certainly global unicast is
// 'public'; everything special, translated, tunnelled or unknown is 'refused', and loopback is told apart because
// development may allow it. It knows nothing of names: a caller hands it every address a name resolved to.

import { isIP } from 'node:net';
import ipaddr from 'ipaddr.js';

export type AddressKind = 'public' | 'loopback' | 'refused';

/** The text of an address as a resolver or the URL parser writes it; any other spelling is refused. */
export function classifyAddress(text: string): AddressKind {
  const family = isIP(text);
  if (family === 0 || text.includes('%')) return 'refused';
  return family === 4 ? judgeIPv4(ipaddr.IPv4.parse(text)) : judgeIPv6(ipaddr.IPv6.parse(text));
}

/** Of the public range, and yet the machine room of one cloud: its guests' host agent, DNS and health probes. */
const HOST_AGENT = '168.63.129.16';

function judgeIPv4(address: ipaddr.IPv4): AddressKind {
  const range = address.range();
  if (range === 'loopback') return 'loopback';
  if (address.toString() === HOST_AGENT) return 'refused';
  return range === 'unicast' ? 'public' : 'refused';
}

/** 2000::/3 is all that was ever handed out; ipaddr.js takes the special blocks out of it, and three more go here. */
function judgeIPv6(address: ipaddr.IPv6): AddressKind {
  const range = address.range();
  if (range === 'loopback') return 'loopback';
  const [first = 0, , , , fifth = 0, sixth = 0] = address.parts;
  const handedOut = first >= 0x2000 && first <= 0x3fff;
  const sixBone = first === 0x3ffe;
  const isatap = sixth === 0x5efe && (fifth & ~0x0200) === 0;
  return range === 'unicast' && handedOut && !sixBone && !isatap ? 'public' : 'refused';
}
