// Turns a target's host into the addresses that may be connected to: resolved once, every one of them judged, and the
// whole name refused when a single one is. A good answer is kept for a few seconds (the connection is pinned to it, so
// it cannot change underneath), and calls for one name at the same time share one question.

import { Resolver } from 'node:dns/promises';
import { classifyAddress } from './address.ts';
import { NO_PUBLIC_ADDRESS, OutboundError } from './outbound-error.ts';
import { isLocalhost, type Target } from './target.ts';

export type Resolve = (host: string) => Promise<readonly string[]>;

const MAX_ADDRESSES = 64;
const MAX_PINNED = 4;
const MAX_NAMES_KEPT = 1000;
const HOME = Promise.resolve(['127.0.0.1', '::1']);

interface Kept {
  readonly addresses: Promise<readonly string[]>;
  readonly until: number;
  /** The same, once it is there. */
  found: readonly string[] | null;
}

export interface ResolverOptions {
  readonly allowInsecureTargets: boolean;
  readonly resolve?: Resolve;
  readonly dnsMs: number;
  readonly keepNamesMs: number;
}

/**
 * c-ares, not getaddrinfo: a name server that hangs would hold one of the four threads that files and ciphers need too.
 * No search domains and no hosts file, so a short name means the same everywhere.
 */
function askNameServers(dnsMs: number): Resolve {
  return async (host) => {
    const resolver = new Resolver({ timeout: Math.max(100, Math.floor(dnsMs / 2)), tries: 2 });
    const answers = await Promise.allSettled([resolver.resolve4(host), resolver.resolve6(host)]);
    const found = answers.flatMap((answer) => (answer.status === 'fulfilled' ? answer.value : []));
    const failed = answers.find((answer) => answer.status === 'rejected');
    if (found.length === 0 && failed !== undefined) throw failed.reason;
    return found;
  };
}

export class NameResolver {
  readonly #options: ResolverOptions;
  readonly #resolve: Resolve;
  readonly #kept = new Map<string, Kept>();

  constructor(options: ResolverOptions) {
    this.#options = options;
    this.#resolve = options.resolve ?? askNameServers(options.dnsMs);
  }

  /** What is known without asking anybody, or null. */
  known({ host }: Target): readonly string[] | null {
    const kept = this.#kept.get(host);
    return kept !== undefined && kept.until > performance.now() ? kept.found : null;
  }

  /** At least one address, all of them allowed, IPv4 first. */
  async addressesOf({ host, literal }: Target): Promise<readonly string[]> {
    const now = performance.now();
    const kept = this.#kept.get(host);
    if (kept !== undefined && kept.until > now) return kept.addresses;
    const addresses = literal ? this.#judgeLiteral(host) : this.#isHome(host) ? HOME : this.#ask(host);
    this.#keep(host, { addresses, until: now + this.#options.keepNamesMs, found: null });
    return addresses;
  }

  #isHome(host: string): boolean {
    return this.#options.allowInsecureTargets && isLocalhost(host);
  }

  async #judgeLiteral(host: string): Promise<readonly string[]> {
    return this.#judge([host]);
  }

  async #ask(host: string): Promise<readonly string[]> {
    let timer: NodeJS.Timeout | undefined;
    const late = new Promise<never>((_, reject) => {
      timer = setTimeout(() => reject(new Error('the name servers took too long')), this.#options.dnsMs);
    });
    try {
      return this.#judge(await Promise.race([this.#resolve(host), late]));
    } catch (cause) {
      throw cause instanceof OutboundError ? cause : new OutboundError('dns', { cause });
    } finally {
      clearTimeout(timer);
    }
  }

  #judge(addresses: readonly string[]): readonly string[] {
    if (addresses.length === 0) throw new OutboundError('dns');
    const allowed = (address: string): boolean => {
      const kind = classifyAddress(address);
      return kind === 'public' || (kind === 'loopback' && this.#options.allowInsecureTargets);
    };
    if (addresses.length > MAX_ADDRESSES || !addresses.every(allowed))
      throw new OutboundError('refused', { forCaller: NO_PUBLIC_ADDRESS });
    const isV6 = (address: string): number => (address.includes(':') ? 1 : 0);
    return [...addresses].sort((a, b) => isV6(a) - isV6(b)).slice(0, MAX_PINNED);
  }

  #keep(host: string, kept: Kept): void {
    this.#kept.delete(host);
    this.#kept.set(host, kept);
    const oldest = this.#kept.keys().next();
    if (this.#kept.size > MAX_NAMES_KEPT && !oldest.done) this.#kept.delete(oldest.value);
    const found = (addresses: readonly string[]): void => {
      kept.found = addresses;
    };
    const failed = (): void => {
      if (this.#kept.get(host) === kept) this.#kept.delete(host);
    };
    kept.addresses.then(found, failed);
  }
}
