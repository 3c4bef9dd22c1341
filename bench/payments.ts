// The jobs of the payment process: create parties, complete them, record one completion, expire what is due.

import { runJob } from './child-jobs.ts';
import type { ChildHandle } from './processes.ts';
import type { Unit } from './sql.ts';

export interface Party {
  readonly venueId: string;
  readonly checkoutId: string;
  readonly shareIds: readonly string[];
}

/** The statements of one party from collecting to completed: before its guests pay, and after they have paid. */
export interface Recording {
  readonly party: Party;
  readonly recordedAt: number;
  readonly texts: readonly string[];
  readonly openUnits: readonly Unit[];
  readonly settleUnits: readonly Unit[];
}

export type PaymentJob =
  | {
      readonly do: 'create parties';
      readonly venueIds: readonly string[];
      readonly count: number;
      readonly size: number;
    }
  | { readonly do: 'record'; readonly party: Party }
  | { readonly do: 'complete'; readonly parties: readonly Party[]; readonly concurrency: number }
  | { readonly do: 'expire' };

export interface Payments {
  /** Creates collecting checkouts with their shares. */
  createParties(venueIds: readonly string[], count: number, size: number): Promise<Party[]>;
  /** Completes the party and records the statements. */
  record(party: Party): Promise<Recording>;
  /** Completes the parties; returns the seconds, without the guests' payments at the processor. */
  complete(parties: readonly Party[], concurrency: number): Promise<number>;
  /** Expires checkouts until none is due. */
  expire(): Promise<{ readonly seconds: number; readonly expired: number }>;
}

export function paymentsIn(child: ChildHandle): Payments {
  const run = <T>(job: PaymentJob): Promise<T> => runJob<T>(child, job);
  return {
    createParties: (venueIds, count, size) => run({ do: 'create parties', venueIds, count, size }),
    record: (party) => run({ do: 'record', party }),
    complete: (parties, concurrency) => run({ do: 'complete', parties, concurrency }),
    expire: () => run({ do: 'expire' }),
  };
}
