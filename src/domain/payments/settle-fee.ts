// Asks the processor for its fee of a captured charge, and posts it to the ledger. The fee is usually known with the
// capture. When it is not, the worker asks until it is; no capture, transfer or refund waits for it.

import type { Clock } from '../../base/clock.ts';
import type { Db } from '../../base/db.ts';
import type { Log } from '../../base/log.ts';
import { postEntries } from '../ledger/queries.ts';
import { postponeFee, recordFee } from './fee-queries.ts';
import type { HoldState } from './hold.ts';
import { type Processors, ProcessorUnavailable } from './processor.ts';

export interface FeeServices {
  readonly db: Db;
  readonly clock: Clock;
  readonly log: Log;
  readonly processors: Processors;
}

const MINUTE = 60_000;

/** An unavailable processor is asked again when the lease has ended. */
export async function settleFee(services: FeeServices, hold: HoldState): Promise<void> {
  const { db, clock, log } = services;
  try {
    const fee = await retrieveFee(services, hold);
    if (fee === null) {
      const wait = MINUTE * 2 ** Math.min(hold.leaseToken, 6);
      return await postponeFee(db, hold, clock.now() + wait);
    }
    await db.transaction(async (tx) => {
      const isFirst = await recordFee(tx, hold, fee);
      const entry = { kind: 'processor_fee', subject: hold.id, amount: fee } as const;
      if (isFirst) await postEntries(tx, { ...hold, now: clock.now() }, [entry]);
    });
  } catch (error) {
    if (!(error instanceof ProcessorUnavailable)) throw error;
    log.warn({ hold: hold.id, err: error }, 'the processor is unavailable; the worker asks for its fee again');
  }
}

async function retrieveFee({ processors }: FeeServices, hold: HoldState): Promise<number | null> {
  const processor = processors[hold.mode];
  if (processor === undefined) throw new ProcessorUnavailable(`no card processor is set up for ${hold.mode} mode`);
  if (hold.intentId === null) throw new Error(`hold ${hold.id} was captured but has no intent`);
  return (await processor.retrieveHold(hold.intentId)).processorFee;
}
