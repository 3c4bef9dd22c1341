// Bugs that show only when a process is killed between two lines, when a worker goes on after its lease has expired, or
// when two workers or servers do the same at once.

import type { Mutant } from './list.ts';

const SETTLE_HOLD = 'src/domain/checkouts/holds/settle-hold.ts';
const MOVEMENTS = 'src/domain/payments/movement-queries.ts';
const WRITE_STEPS = '    await writeSteps(tx, { ids: services.ids, now }, checkout, steps);\n    return result;\n  });';

export const LEASE_BUGS: readonly Mutant[] = [
  {
    area: 'events',
    bug: 'the events of a hold are written outside the transaction of the change',
    file: 'src/domain/checkouts/holds/record-settlement.ts',
    from: WRITE_STEPS,
    to: `    const events = steps.filter(({ step }) => step === 'record event');
    await writeSteps(services.db, { ids: services.ids, now }, checkout, events);
    await writeSteps(tx, { ids: services.ids, now }, checkout, steps.filter((step) => !events.includes(step)));
    return result;
  });`,
    tests: 'simulation',
  },
  {
    area: 'events',
    bug: 'the events of a decision are written after its commit, and lost when the process is killed between',
    file: 'src/domain/checkouts/payment-services.ts',
    from: '  return services.db.transaction((tx) => decideInTransaction(tx, services, venueId, checkoutId, decide));\n',
    to: `  let recordEvents = async (): Promise<void> => undefined;
  const withoutEvents = (checkout: LockedCheckout, now: number): NotificationDecision<T> => {
    const { steps, result } = decide(checkout, now);
    const events = steps.filter(({ step }) => step === 'record event');
    recordEvents = () => writeSteps(services.db, { ids: services.ids, now }, checkout, events);
    return { steps: steps.filter((step) => !events.includes(step)), result };
  };
  const result = await services.db.transaction((tx) => decideInTransaction(tx, services, venueId, checkoutId, withoutEvents));
    await recordEvents();
  return result;
`,
    tests: 'simulation',
  },
  {
    area: 'money',
    bug: 'a worker with a stale lease token writes to a hold',
    file: 'src/domain/checkouts/holds/record-settlement.ts',
    from: 'if (checkout === null || leaseToken !== hold.leaseToken) throw new StaleLease();',
    to: 'if (checkout === null || leaseToken === null) throw new StaleLease();',
    tests: 'simulation',
  },
  {
    area: 'money',
    bug: 'a worker with a stale lease token writes captures',
    file: 'src/domain/checkouts/capture/capture.ts',
    from: "return checkout.status === 'funded' && checkout.leaseToken === leaseToken;",
    to: "return checkout.status === 'funded' && checkout.leaseToken >= leaseToken;",
    tests: ['test/checkouts/capture.test.ts'],
  },
  {
    area: 'money',
    bug: 'a worker with a stale lease token postpones a refund',
    file: MOVEMENTS,
    from: 'key_number = key_number + $7\n     where venue_id = $1 and movement_id = $2 and lease_token = $3 and',
    to: 'key_number = key_number + $7\n     where venue_id = $1 and movement_id = $2 and lease_token >= $3 and',
    tests: ['test/checkouts/refund-books.test.ts'],
  },
  {
    area: 'money',
    bug: 'a worker records a transfer that another worker has recorded during its call',
    file: MOVEMENTS,
    from: "and status = 'sending' and lease_token = $7\n",
    to: "and status in ('sending', 'done') and $7::integer > 0\n",
    tests: ['test/checkouts/refund-books.test.ts'],
  },
  {
    area: 'money',
    bug: 'a worker with a stale lease token ends a transfer that another worker is sending',
    file: MOVEMENTS,
    from: "and status = 'sending' and lease_token = $7\n",
    to: "and status = 'sending' and lease_token >= $7\n",
    tests: ['test/checkouts/refund-books.test.ts'],
  },
  {
    area: 'money',
    bug: 'a worker records a refund that another worker has recorded during its call',
    file: 'src/domain/payments/refund-queries.ts',
    from: 'where venue_id = $1 and movement_id = $2 and lease_token = $3 and status = $4 returning 1`,',
    to: "where venue_id = $1 and movement_id = $2 and lease_token >= $3 and $4 <> '' returning 1`,",
    tests: ['test/checkouts/refund-books.test.ts'],
  },
  {
    area: 'money',
    bug: 'a hold is released in the database but not at the processor',
    file: SETTLE_HOLD,
    from: '    await processorFor(services, hold.mode).release(intentId, callKeys.release(hold));\n',
    to: '',
    tests: 'simulation',
  },
  {
    area: 'money',
    bug: 'two cards are held for one share',
    file: 'migrations/000020-plain-words.sql',
    from: 'create unique index holds_one_for_a_share on holds',
    to: 'create index holds_one_for_a_share on holds',
    tests: ['test/checkouts/refused-by-database.test.ts'],
  },
  {
    area: 'money',
    bug: 'the database commits shares whose sum is a cent short',
    file: 'src/domain/checkouts/functions/enforce_party_invariants.sql',
    from: 'if v_sum <> v_amount and not (',
    to: 'if abs(v_sum - v_amount) > 1 and not (',
    tests: ['test/checkouts/refused-by-database.test.ts'],
  },
  {
    area: 'money',
    bug: 'a returned fee has no ledger entry',
    file: 'src/domain/payments/settle-refund.ts',
    from: "    { kind: 'fee_return', subject, amount: feePart },\n",
    to: '',
    tests: ['test/checkouts/refund-books.test.ts'],
  },
  {
    area: 'money',
    bug: 'a test checkout charges at the live processor',
    file: 'src/domain/checkouts/payment-services.ts',
    from: 'const processor = processors[mode];',
    to: 'const processor = processors.live ?? processors[mode];',
    tests: ['test/checkouts/capture.test.ts', 'test/checkouts/cards.test.ts'],
  },
  {
    area: 'events',
    bug: 'the sequence of a checkout’s events skips a number',
    file: 'src/domain/events/functions/record_event.sql',
    from: 'coalesce(max(e.sequence), 0) + 1 into v_sequence',
    to: 'coalesce(max(e.sequence), 0) + case when max(e.sequence) = 2 then 2 else 1 end into v_sequence',
    tests: ['test/webhooks/events.test.ts'],
  },
  {
    area: 'events',
    bug: 'a retried delivery has another body than the first attempt',
    file: 'src/domain/events/functions/event_object.sql',
    from: 'utc_micros(p_at) || \'","sequence":\' || p_sequence',
    to: 'utc_micros(clock_timestamp()) || \'","sequence":\' || p_sequence',
    tests: ['test/webhooks/deliveries.test.ts'],
  },
  {
    area: 'events',
    bug: 'slow endpoints keep the connections of fast ones',
    file: 'src/domain/webhooks/deliveries/deliver.ts',
    from: "if (run.pace !== 'quick' || this.#used.slow >= MAX_RUNS_BY_PACE.slow) return;",
    to: 'if (run.pace !== undefined) return;',
    tests: ['test/webhooks/endpoint-queues.test.ts'],
  },
  {
    area: 'idempotency',
    bug: 'two servers run the same request twice',
    file: 'src/domain/idempotency/run-once.ts',
    from: '      if (!isStored) throw new IdempotencyKeyTaken();\n',
    to: '',
    tests: ['test/http/idempotency.test.ts'],
  },
  {
    area: 'idempotency',
    bug: 'one idempotency key creates two checkouts for two concurrent bookings',
    file: 'src/domain/checkouts/functions/insert_checkout.sql',
    from: '      continue when not found;\n    end if;\n    insert into checkouts',
    to: '    end if;\n    insert into checkouts',
    tests: ['test/checkouts/create-once.test.ts'],
  },
  {
    area: 'idempotency',
    bug: 'a refusal is stored, and replayed after its cause is gone',
    file: 'src/domain/idempotency/run-once.ts',
    from: '    throw error;\n  }\n}\n\nfunction stillRunning(',
    to: `    if (error instanceof Error && 'status' in error) {
      await storeResponse(db, seal, responseKey, { fingerprint, status: error.status, json: '{}' }, retentionMs);
    }
    throw error;\n  }\n}\n\nfunction stillRunning(`,
    tests: ['test/checkouts/refund.test.ts'],
  },
  {
    area: 'money',
    bug: 'a worker with a stale lease token postpones a processor event that another has read',
    file: 'src/domain/payments/dispute-queries.ts',
    from: 'where event_id = $1 and lease_token = $2',
    to: 'where event_id = $1 and lease_token >= $2',
    tests: ['test/checkouts/processor-events.test.ts'],
  },
  {
    area: 'guests',
    bug: 'a worker with a stale lease token marks a message as failed while another sends it',
    file: 'src/domain/members/messages/queries.ts',
    from: "where message_id = $1 and lease_token = $2 and status = 'waiting'`,\n    [id, leaseToken, outcome.status",
    to: "where message_id = $1 and lease_token >= $2 and status = 'waiting'`,\n    [id, leaseToken, outcome.status",
    tests: ['test/guests/twilio.test.ts'],
  },
  {
    area: 'guests',
    bug: 'a worker with a stale lease token postpones a message while another sends it',
    file: 'src/domain/members/messages/queries.ts',
    from: "where message_id = $1 and lease_token = $2 and status = 'waiting'`,\n    [id, leaseToken, dueAt]",
    to: "where message_id = $1 and lease_token >= $2 and status = 'waiting'`,\n    [id, leaseToken, dueAt]",
    tests: ['test/guests/twilio.test.ts'],
  },
];
