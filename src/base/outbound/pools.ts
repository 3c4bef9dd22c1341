// Keep-alive connections, one bounded pool for each origin, the addresses it is pinned to, and whoever wants it apart. Whatever DNS says later, a
// pool connects to those addresses alone; the certificate is still checked against the name. The pools are bounded in
// number: the one unused for longest is closed, after what runs on it has ended.

import type { LookupFunction } from 'node:net';
import type { Pool } from 'undici';
import { loadUndici } from './undici.ts';

export interface PoolsOptions {
  readonly allowInsecureTargets: boolean;
  readonly maxOrigins: number;
  readonly connectionsPerOrigin: number;
  readonly connectMs: number;
}

const ANSWER_HEADER_BYTES = 16_384;

/** Answers every question with the checked addresses: the socket cannot be led anywhere else. */
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
  readonly #spellings = new WeakMap<readonly string[], string>();
  #make: typeof Pool | null = null;
  readonly #closing = new Set<Promise<void>>();

  constructor(options: PoolsOptions) {
    this.#options = options;
  }

  get size(): number {
    return this.#pools.size;
  }

  /** Once `load` has come back: before that, `for` must not be called. */
  get isReady(): boolean {
    return this.#make !== null;
  }

  async load(): Promise<void> {
    this.#make ??= (await loadUndici()).Pool;
  }

  /** `apart`: shares no connection with requests that say something else, so that none waits for the other's. */
  for(origin: string, addresses: readonly string[], apart = ''): Pool {
    const key = `${apart} ${origin} ${this.#spelled(addresses)}`;
    const pool = this.#pools.get(key) ?? this.#open(origin, addresses);
    this.#pools.delete(key);
    this.#pools.set(key, pool);
    if (this.#pools.size > this.#options.maxOrigins) this.#closeOldest();
    return pool;
  }

  /** Looked up for each request: a name's addresses are the same list as long as they are known. */
  #spelled(addresses: readonly string[]): string {
    const known = this.#spellings.get(addresses);
    if (known !== undefined) return known;
    const spelling = [...addresses].sort().join(' ');
    this.#spellings.set(addresses, spelling);
    return spelling;
  }

  /** Waits for what is running; every request has its own deadline, so this ends. */
  async close(): Promise<void> {
    while (this.#pools.size > 0) this.#closeOldest();
    await Promise.all(this.#closing);
  }

  #open(origin: string, addresses: readonly string[]): Pool {
    if (this.#make === null) throw new Error('the pools are not ready yet');
    return new this.#make(origin, {
      connections: this.#options.connectionsPerOrigin,
      pipelining: 1,
      allowH2: false,
      maxHeaderSize: ANSWER_HEADER_BYTES,
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
