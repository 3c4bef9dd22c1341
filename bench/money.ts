// Asks the process that runs the commands about money: seats parties, completes them, expires what is due.

import { ask } from './asking.ts';
import type { Running } from './processes.ts';
import type { Unit } from './sql.ts';

export interface Party {
  readonly venueId: string;
  readonly checkoutId: string;
  readonly shareIds: readonly string[];
}

/** The statements of one party from collecting to completed: until every guest can pay, and after they have paid. */
export interface Recording {
  readonly party: Party;
  readonly at: number;
  readonly texts: readonly string[];
  readonly opening: readonly Unit[];
  readonly settling: readonly Unit[];
}

export type MoneyOrder =
  | { readonly do: 'seat'; readonly venueIds: readonly string[]; readonly parties: number; readonly size: number }
  | { readonly do: 'record'; readonly party: Party }
  | { readonly do: 'complete'; readonly parties: readonly Party[]; readonly atOnce: number }
  | { readonly do: 'expire' };

export interface Money {
  /** New checkouts that are collecting. */
  seat(venueIds: readonly string[], parties: number, size: number): Promise<Party[]>;
  record(party: Party): Promise<Recording>;
  /** Gives the seconds it took, the guests' own payments at the processor left out. */
  complete(parties: readonly Party[], atOnce: number): Promise<number>;
  /** Until nothing is due. */
  expire(): Promise<{ readonly seconds: number; readonly expired: number }>;
}

export function moneyBy(running: Running): Money {
  const order = <T>(what: MoneyOrder): Promise<T> => ask<T>(running, what);
  return {
    seat: (venueIds, parties, size) => order({ do: 'seat', venueIds, parties, size }),
    record: (party) => order({ do: 'record', party }),
    complete: (parties, atOnce) => order({ do: 'complete', parties, atOnce }),
    expire: () => order({ do: 'expire' }),
  };
}
