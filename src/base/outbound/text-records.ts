// Looks up TXT records, through the name servers of the setting DNS_SERVERS or those of the system. Bounded in time, tries
// and size. It never throws for what a name server answers, or does not answer.

import { Resolver } from 'node:dns/promises';

export type TextRecords =
  | { readonly outcome: 'values'; readonly values: readonly string[] }
  /** The name exists, and has no TXT record. */
  | { readonly outcome: 'none' }
  | { readonly outcome: 'no_domain' }
  | { readonly outcome: 'timeout' }
  /** The name servers answered with an error, or could not be reached. */
  | { readonly outcome: 'failed' };

export type LookUpText = (name: string) => Promise<TextRecords>;

const TRY_MS = 2_000;
const TRIES = 2;
const MAX_MS = 6_000;
const MAX_RECORDS = 100;

/** `servers`: addresses, each with a port if it is not 53; empty: those of the system. */
export function makeTextLookup(servers: readonly string[]): LookUpText {
  return async (name) => {
    const resolver = new Resolver({ timeout: TRY_MS, tries: TRIES });
    if (servers.length > 0) resolver.setServers(servers);
    // Several servers, each tried twice, would take longer than a caller waits.
    const timer = setTimeout(() => resolver.cancel(), MAX_MS);
    try {
      const records = await resolver.resolveTxt(name);
      const values = records.slice(0, MAX_RECORDS).map((parts) => parts.join(''));
      return values.length === 0 ? { outcome: 'none' } : { outcome: 'values', values };
    } catch (error) {
      return { outcome: OUTCOMES[(error as NodeJS.ErrnoException).code ?? ''] ?? 'failed' };
    } finally {
      clearTimeout(timer);
    }
  };
}

const OUTCOMES: Readonly<Record<string, 'none' | 'no_domain' | 'timeout'>> = {
  ENODATA: 'none',
  ENOTFOUND: 'no_domain',
  ETIMEOUT: 'timeout',
  ECANCELLED: 'timeout',
};
