// Keep-alive connections: one bounded pool for each origin, set of pinned addresses and `poolName`. Even if DNS says
// something else later, a pool connects only to its pinned addresses, and the certificate is still checked against the
// name. The number of pools is bounded: the least recently used one is closed after its requests have ended.

import type { LookupFunction } from 'node:net';
import type { Pool } from 'undici';
import { loadUndici } from './undici.ts';

export interface PoolsOptions {
  readonly allowInsecureTargets: boolean;
  readonly maxOrigins: number;
  readonly connectionsPerOrigin: number;
  readonly connectMs: number;
}

const MAX_HEADER_BYTES = 16_384;

/** Answers every look-up with the checked addresses, so that the socket cannot connect anywhere else. */
function pinnedTo(addresses: readonly string[]): LookupFunction {
  const all = addresses.map((address) => ({ address, family: address.includes(':') ? 6 : 4 }));
  return (_host, options, done) => {
    const [first] = all;
    if (first === undefined) done(new Error('nothing to connect to'), '');
    else if (options.all) done(null, all);
    else done(null, first.address, first.family);
  };
}

export class Pools {
  readonly #options: PoolsOptions;
  readonly #pools = new Map<string, Pool>();
  readonly #addressKeys = new WeakMap<readonly string[], string>();
  #Pool: typeof Pool | null = null;
  readonly #closing = new Set<Promise<void>>();

  constructor(options: PoolsOptions) {
    this.#options = options;
  }

  get size(): number {
    return this.#pools.size;
  }

  /** True after `load`. `for` must not be called before. */
  get isReady(): boolean {
    return this.#Pool !== null;
  }

  async load(): Promise<void> {
    this.#Pool ??= (await loadUndici()).Pool;
  }

  /** Requests with different `poolName`s share no connections, so that neither waits for the other. */
  for(origin: string, addresses: readonly string[], poolName = ''): Pool {
    const key = `${poolName} ${origin} ${this.#addressKey(addresses)}`;
    const pool = this.#pools.get(key) ?? this.#open(origin, addresses);
    this.#pools.delete(key);
    this.#pools.set(key, pool);
    if (this.#pools.size > this.#options.maxOrigins) this.#closeOldest();
    return pool;
  }

  /** Cached for each list: the resolver returns the same list object while a name is cached. */
  #addressKey(addresses: readonly string[]): string {
    const known = this.#addressKeys.get(addresses);
    if (known !== undefined) return known;
    const key = [...addresses].sort().join(' ');
    this.#addressKeys.set(addresses, key);
    return key;
  }

  /** Waits for running requests. Each has a deadline, so this ends. */
  async close(): Promise<void> {
    while (this.#pools.size > 0) this.#closeOldest();
    await Promise.all(this.#closing);
  }

  #open(origin: string, addresses: readonly string[]): Pool {
    if (this.#Pool === null) throw new Error('the pools are not ready yet');
    return new this.#Pool(origin, {
      connections: this.#options.connectionsPerOrigin,
      pipelining: 1,
      allowH2: false,
      maxHeaderSize: MAX_HEADER_BYTES,
      headersTimeout: 0,
      bodyTimeout: 0,
      keepAliveTimeout: 4_000,
      keepAliveMaxTimeout: 30_000,
      connect: {
        lookup: pinnedTo(addresses),
        timeout: this.#options.connectMs,
        autoSelectFamily: true,
        autoSelectFamilyAttemptTimeout: Math.max(250, Math.floor(this.#options.connectMs / 3)),
        rejectUnauthorized: !this.#options.allowInsecureTargets,
        minVersion: 'TLSv1.2',
      },
    });
  }

  #closeOldest(): void {
    const oldest = this.#pools.entries().next();
    if (oldest.done) return;
    const [key, pool] = oldest.value;
    this.#pools.delete(key);
    const closing = pool.close().finally(() => this.#closing.delete(closing));
    this.#closing.add(closing);
  }
}
