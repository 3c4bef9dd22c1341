// Resolves a target's host to the addresses that we may connect to. Every address is checked, and one refused address
// refuses the name. A good result is cached for a few seconds (connections are pinned to it, so it cannot change
// underneath), and simultaneous calls for one name share one look-up.

import { Resolver } from 'node:dns/promises';
import { classifyAddress } from './address.ts';
import { NO_PUBLIC_ADDRESS, OutboundError } from './outbound-error.ts';
import { isLocalhost, type Target } from './target.ts';

export type Resolve = (host: string) => Promise<readonly string[]>;

const MAX_ADDRESSES = 64;
const MAX_PINNED = 4;
const MAX_CACHED_NAMES = 1000;
const LOOPBACK_ADDRESSES = Promise.resolve(['127.0.0.1', '::1']);

interface CachedName {
  readonly addresses: Promise<readonly string[]>;
  readonly expiresAt: number;
  /** The same addresses, once they are resolved. */
  found: readonly string[] | null;
}

export interface ResolverOptions {
  readonly allowInsecureTargets: boolean;
  readonly resolve?: Resolve;
  readonly dnsMs: number;
  readonly dnsCacheMs: number;
}

/**
 * c-ares, not getaddrinfo: a hanging name server would block one of the four threads that files and ciphers also need.
 * No search domains and no hosts file, so a short name means the same everywhere.
 */
function queryNameServers(dnsMs: number): Resolve {
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
  readonly #cached = new Map<string, CachedName>();

  constructor(options: ResolverOptions) {
    this.#options = options;
    this.#resolve = options.resolve ?? queryNameServers(options.dnsMs);
  }

  /** The cached addresses, or null. */
  cached({ host }: Target): readonly string[] | null {
    const cached = this.#cached.get(host);
    return cached !== undefined && cached.expiresAt > performance.now() ? cached.found : null;
  }

  /** At least one address, all of them allowed, IPv4 first. */
  async addressesOf({ host, literal }: Target): Promise<readonly string[]> {
    const now = performance.now();
    const cached = this.#cached.get(host);
    if (cached !== undefined && cached.expiresAt > now) return cached.addresses;
    const addresses = literal
      ? this.#checkLiteral(host)
      : this.#isLoopbackName(host)
        ? LOOPBACK_ADDRESSES
        : this.#lookUp(host);
    this.#cache(host, { addresses, expiresAt: now + this.#options.dnsCacheMs, found: null });
    return addresses;
  }

  #isLoopbackName(host: string): boolean {
    return this.#options.allowInsecureTargets && isLocalhost(host);
  }

  async #checkLiteral(host: string): Promise<readonly string[]> {
    return this.#check([host]);
  }

  async #lookUp(host: string): Promise<readonly string[]> {
    let timer: NodeJS.Timeout | undefined;
    const late = new Promise<never>((_, reject) => {
      timer = setTimeout(() => reject(new Error('the name servers took too long')), this.#options.dnsMs);
    });
    try {
      return this.#check(await Promise.race([this.#resolve(host), late]));
    } catch (cause) {
      throw cause instanceof OutboundError ? cause : new OutboundError('dns', { cause });
    } finally {
      clearTimeout(timer);
    }
  }

  #check(addresses: readonly string[]): readonly string[] {
    if (addresses.length === 0) throw new OutboundError('dns');
    const allowed = (address: string): boolean => {
      const kind = classifyAddress(address);
      return kind === 'public' || (kind === 'loopback' && this.#options.allowInsecureTargets);
    };
    if (addresses.length > MAX_ADDRESSES || !addresses.every(allowed))
      throw new OutboundError('refused', { publicMessage: NO_PUBLIC_ADDRESS });
    const isV6 = (address: string): number => (address.includes(':') ? 1 : 0);
    return [...addresses].sort((a, b) => isV6(a) - isV6(b)).slice(0, MAX_PINNED);
  }

  #cache(host: string, cached: CachedName): void {
    this.#cached.delete(host);
    this.#cached.set(host, cached);
    const oldest = this.#cached.keys().next();
    if (this.#cached.size > MAX_CACHED_NAMES && !oldest.done) this.#cached.delete(oldest.value);
    const found = (addresses: readonly string[]): void => {
      cached.found = addresses;
    };
    const failed = (): void => {
      if (this.#cached.get(host) === cached) this.#cached.delete(host);
    };
    cached.addresses.then(found, failed);
  }
}
