// The one guarded client for every address that a partner gave us: webhook endpoints, calendars, media. https only, the name
// resolved once and checked, the connection pinned to the checked addresses, no redirects, no proxy from the environment,
// size and time bounded. It does not retry and does not sign, and it does not trust the response.

import { exchange, type OutboundResponse } from './exchange.ts';
import { OutboundError } from './outbound-error.ts';
import { Pools } from './pools.ts';
import { NameResolver, type Resolve } from './resolver.ts';
import { readTarget, Targets } from './target.ts';

export interface OutboundOptions {
  /** For development and tests: loopback addresses and self-signed certificates. Never http. */
  readonly allowInsecureTargets: boolean;
  /** Instead of the name servers. */
  readonly resolve?: Resolve;
  readonly dnsMs?: number;
  readonly connectMs?: number;
  readonly headersMs?: number;
  readonly totalMs?: number;
  readonly dnsCacheMs?: number;
  readonly maxOrigins?: number;
  readonly connectionsPerOrigin?: number;
}

export interface OutboundRequest {
  readonly url: string;
  readonly method: 'GET' | 'POST';
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: Buffer | string;
  /** For everything: name, connection, headers, body. */
  readonly timeoutMs?: number;
  readonly maxBytes?: number;
  /**
   * A response that is too long, too slow or cut after its status gives what arrived with `truncated: true`, not an
   * error.
   */
  readonly truncate?: boolean;
  /** Requests with different values share no connections: for requests that partners can start in any number. */
  readonly poolName?: string;
}

export interface Outbound {
  /** Rejects only with OutboundError, unless the caller's headers are wrong. A 3xx is an ordinary response. */
  request(request: OutboundRequest): Promise<OutboundResponse>;
  /**
   * Would this address be refused? Sends nothing to it. Returns a sentence for the partner, or null. A name that does not
   * resolve now is not refused, because every request checks again.
   */
  refusal(url: string): Promise<string | null>;
  close(): Promise<void>;
}

/**
 * More than a worker can have deliveries in flight (the endpoint queues bound them), so that a hanging delivery takes no
 * connection from another one at that host, and no request waits for a connection while its deadline runs.
 */
const CONNECTIONS_PER_ORIGIN = 1_280;
const DEFAULT_MAX_BYTES = 1_048_576;
const REFUSAL_DNS_MS = 1_500;
/** Set by this client only: another `host` would change whose certificate is checked. */
const RESERVED_HEADERS = new Set(
  'host connection keep-alive content-length transfer-encoding te trailer upgrade expect accept-encoding'.split(' '),
);

export function makeOutbound(options: OutboundOptions): Outbound {
  const { allowInsecureTargets, headersMs = 10_000, totalMs = 10_000 } = options;
  const names = new NameResolver({
    allowInsecureTargets,
    dnsMs: options.dnsMs ?? 3_000,
    dnsCacheMs: options.dnsCacheMs ?? 10_000,
    ...(options.resolve === undefined ? {} : { resolve: options.resolve }),
  });
  const pools = new Pools({
    allowInsecureTargets,
    maxOrigins: options.maxOrigins ?? 1_000,
    connectionsPerOrigin: options.connectionsPerOrigin ?? CONNECTIONS_PER_ORIGIN,
    connectMs: options.connectMs ?? 5_000,
  });
  const targets = new Targets(allowInsecureTargets);
  let closed = false;

  return {
    async request(request) {
      const startedAt = performance.now();
      const headers = headersOf(request.headers ?? {});
      const target = targets.read(request.url);
      const total = request.timeoutMs ?? totalMs;
      const addresses =
        names.cached(target) ??
        (await withTimeout(names.addressesOf(target), total, () => new OutboundError('timeout')));
      if (!pools.isReady) await pools.load();
      if (closed) throw new OutboundError('closed');
      return exchange(pools.for(target.origin, addresses, request.poolName), {
        path: target.path,
        method: request.method,
        headers,
        body: request.body ?? null,
        startedAt,
        headersMs: Math.min(headersMs, total),
        totalMs: total,
        maxBytes: request.maxBytes ?? DEFAULT_MAX_BYTES,
        truncate: request.truncate ?? false,
      });
    },
    async refusal(url) {
      try {
        const target = readTarget(url, allowInsecureTargets);
        await withTimeout(names.addressesOf(target), REFUSAL_DNS_MS, () => new OutboundError('dns'));
        return null;
      } catch (error) {
        if (error instanceof OutboundError) return error.kind === 'refused' ? error.publicMessage : null;
        throw error;
      }
    },
    async close() {
      closed = true;
      await pools.close();
    },
  };
}

function headersOf(given: Readonly<Record<string, string>>): Record<string, string> {
  const headers: Record<string, string> = { 'user-agent': 'Everyshare', accept: '*/*' };
  for (const [name, value] of Object.entries(given)) {
    const lower = name.toLowerCase();
    if (RESERVED_HEADERS.has(lower)) throw new TypeError(`the header ${name} is set by the client itself`);
    headers[lower] = value;
  }
  headers['accept-encoding'] = 'identity';
  return headers;
}

async function withTimeout<Value>(work: Promise<Value>, ms: number, timeoutError: () => Error): Promise<Value> {
  let timer: NodeJS.Timeout | undefined;
  const deadline = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(timeoutError()), ms);
  });
  try {
    return await Promise.race([work, deadline]);
  } finally {
    clearTimeout(timer);
  }
}
