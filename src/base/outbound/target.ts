// Parses an address that a partner gave us, before any name is resolved. Connections use only the parsed result, so that no
// second parser can read the text differently. It refuses by scheme, spelling, port and name; the resolver checks later, on
// bytes, whether the addresses behind a name are public.

import { isIP } from 'node:net';
import { OutboundError } from './outbound-error.ts';

export interface Target {
  /** `https://host:port`, normalised: lower case, punycode, no trailing dot. */
  readonly origin: string;
  readonly path: string;
  /** A name, or an IP address without brackets. */
  readonly host: string;
  readonly literal: boolean;
}

const MAX_LENGTH = 4096;
/** Names that no public host can have, or that mean the local machine or network. */
const LOCAL_NAMES = /(^|\.)(localhost|local|internal|home\.arpa|localdomain|onion)$/;

export const isLocalhost = (host: string): boolean => /(^|\.)localhost$/.test(host);

export function readTarget(text: string, allowInsecureTargets: boolean): Target {
  if (text.length > MAX_LENGTH) throw refused(`The address is longer than ${MAX_LENGTH} characters.`);
  if (!/^https:\/\/[^/\\]/i.test(text)) throw refused('The address must begin with https://.');
  const url = parse(text);
  if (url.username !== '' || url.password !== '') throw refused('The address must not hold a user name or password.');
  const port = url.port === '' ? 443 : Number(url.port);
  if (port !== 443 && port < 1024) throw refused('The port must be 443, or 1024 and above.');
  const host = url.hostname.replace(/^\[(.*)\]$/, '$1');
  const literal = isIP(host) !== 0;
  if (!literal && !isPublicName(host) && !(allowInsecureTargets && isLocalhost(host)))
    throw refused('The host must be a public one.');
  return { origin: url.origin, path: url.pathname + url.search, host, literal };
}

const MAX_CACHED_TARGETS = 1_000;

/** Caches parsed addresses, because an endpoint receives many requests. Refusals are not cached. */
export class Targets {
  readonly #allowInsecureTargets: boolean;
  readonly #known = new Map<string, Target>();

  constructor(allowInsecureTargets: boolean) {
    this.#allowInsecureTargets = allowInsecureTargets;
  }

  read(text: string): Target {
    const known = this.#known.get(text);
    if (known !== undefined) return known;
    const target = readTarget(text, this.#allowInsecureTargets);
    if (this.#known.size >= MAX_CACHED_TARGETS) this.#known.clear();
    this.#known.set(text, target);
    return target;
  }
}

/** Spaces and control characters are refused, not dropped as the URL parser would. One trailing dot is removed. */
function parse(text: string): URL {
  if (hasSpaceOrControl(text)) throw refused('The address must not hold spaces or control characters.');
  try {
    const url = new URL(text);
    if (!url.hostname.endsWith('.')) return url;
    url.hostname = url.hostname.slice(0, -1);
    return new URL(url.href);
  } catch (cause) {
    throw refused('The address is not a valid URL.', cause);
  }
}

function hasSpaceOrControl(text: string): boolean {
  for (let at = 0; at < text.length; at++) {
    const unit = text.charCodeAt(at);
    if (unit <= 0x20 || unit === 0x7f) return true;
  }
  return false;
}

function isPublicName(host: string): boolean {
  if (host.length > 253 || LOCAL_NAMES.test(host)) return false;
  const labels = host.split('.');
  return labels.length > 1 && labels.every((label) => /^[a-z0-9_]([a-z0-9_-]{0,61}[a-z0-9_])?$/.test(label));
}

function refused(publicMessage: string, cause?: unknown): OutboundError {
  return new OutboundError('refused', { publicMessage, cause });
}
