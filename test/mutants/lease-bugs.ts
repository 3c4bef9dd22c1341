// Bugs that show only when a process dies between two lines, when one that slept goes on, or when two do the same at once.

import type { Mutant } from './list.ts';

const HOLD = 'src/domain/checkouts/holds/settle-hold.ts';
const MOVEMENTS = 'src/domain/payments/movement-queries.ts';
const WRITE = '    await writeSteps(tx, { ids: services.ids, now }, checkout, steps);\n    return result;\n  });';

export const LEASE_BUGS: readonly Mutant[] = [
  {
    area: 'events',
    bug: 'what is told of a hold is written outside of the transaction of the change',
    file: HOLD,
    from: WRITE,
    to: `    const told = steps.filter(({ step }) => step === 'record event');
    await writeSteps(services.db, { ids: services.ids, now }, checkout, told);
    await writeSteps(tx, { ids: services.ids, now }, checkout, steps.filter((step) => !told.includes(step)));
    return result;
  });`,
    tests: 'simulation',
  },
  {
    area: 'events',
    bug: 'what a decision changes is told after its commit, by whoever is still alive then',
    file: 'src/domain/checkouts/payment-services.ts',
    from: '  return services.db.transaction((tx) => decideInTransaction(tx, services, venueId, checkoutId, decide));\n',
    to: `  let tell = async (): Promise<void> => undefined;
  const silently = (checkout: LockedCheckout, now: number): NotificationDecision<T> => {
    const { steps, result } = decide(checkout, now);
    const told = steps.filter(({ step }) => step === 'record event');
    tell = () => writeSteps(services.db, { ids: services.ids, now }, checkout, told);
    return { steps: steps.filter((step) => !told.includes(step)), result };
  };
  const result = await services.db.transaction((tx) => decideInTransaction(tx, services, venueId, checkoutId, silently));
  await tell();
  return result;
`,
    tests: 'simulation',
  },
  {
    area: 'money',
    bug: 'a worker that lost its turn at a hold writes all the same',
    file: HOLD,
    from: 'if (checkout === null || leaseToken !== hold.leaseToken) return null;',
    to: 'if (checkout === null || leaseToken === null) return null;',
    tests: 'simulation',
  },
  {
    area: 'money',
    bug: 'a worker that lost its turn at the captures writes all the same',
    file: 'src/domain/checkouts/capture/capture.ts',
    from: "return checkout.status === 'funded' && checkout.leaseToken === leaseToken;",
    to: "return checkout.status === 'funded' && checkout.leaseToken >= leaseToken;",
    tests: ['test/checkouts/capture.test.ts'],
  },
  {
    area: 'money',
    bug: 'a worker that lost its turn at a refund puts it off all the same',
    file: MOVEMENTS,
    from: "where venue_id = $1 and movement_id = $2 and lease_token = $3 and status = 'sending'`",
    to: "where venue_id = $1 and movement_id = $2 and lease_token >= $3 and status = 'sending'`",
    tests: ['test/checkouts/refund-books.test.ts'],
  },
  {
    area: 'money',
    bug: 'a refund that two workers have sent is entered twice',
    file: 'src/domain/payments/settle-movements.ts',
    from: 'if (isFirst) await postEntries(',
    to: 'if (isFirst || movement.leaseToken > 0) await postEntries(',
    tests: 'simulation',
  },
  {
    area: 'money',
    bug: 'a card is let go of in our books alone',
    file: HOLD,
    from: '    await processorFor(services, hold.mode).release(intentId, callKeys.release(hold.id));\n',
    to: '',
    tests: 'simulation',
  },
  {
    area: 'money',
    bug: 'two cards are held for one share',
    file: 'migrations/000003-money.sql',
    from: 'create unique index holds_one_for_a_share on holds',
    to: 'create index holds_one_for_a_share on holds',
    tests: ['test/checkouts/refused-by-database.test.ts'],
  },
  {
    area: 'money',
    bug: 'shares that are a cent short are committed',
    file: 'src/domain/checkouts/functions/enforce_party_invariants.sql',
    from: 'if v_sum <> v_amount and not (',
    to: 'if abs(v_sum - v_amount) > 1 and not (',
    tests: ['test/checkouts/refused-by-database.test.ts'],
  },
  {
    area: 'money',
    bug: 'the ledger is not told of the fee that is given back',
    file: 'src/domain/payments/settle-movements.ts',
    from: "    { kind: 'fee_return', subject: id, amount: feePart },\n",
    to: '',
    tests: ['test/checkouts/refund-books.test.ts'],
  },
  {
    area: 'money',
    bug: 'test money is taken at the live processor',
    file: 'src/domain/checkouts/payment-services.ts',
    from: 'const processor = processors[mode];',
    to: 'const processor = processors.live ?? processors[mode];',
    tests: ['test/checkouts/capture.test.ts', 'test/checkouts/cards.test.ts'],
  },
  {
    area: 'events',
    bug: 'the events of a checkout skip a number',
    file: 'src/domain/events/functions/record_event.sql',
    from: 'coalesce(max(e.sequence), 0) + 1, p_data, p_at',
    to: 'coalesce(max(e.sequence), 0) + case when max(e.sequence) = 2 then 2 else 1 end, p_data, p_at',
    tests: ['test/webhooks/events.test.ts'],
  },
  {
    area: 'events',
    bug: 'a retry has other bytes than the first try',
    file: 'src/domain/events/functions/event_json.sql',
    from: 'utc_micros(e.created_at) || \'","sequence":\' || e.sequence',
    to: 'utc_micros(clock_timestamp()) || \'","sequence":\' || e.sequence',
    tests: ['test/webhooks/deliveries.test.ts'],
  },
  {
    area: 'events',
    bug: 'endpoints that hang keep the places of the quick',
    file: 'src/domain/webhooks/deliveries/deliver.ts',
    from: "if (run.pace !== 'quick' || this.#used.slow >= SLOTS.slow) return;",
    to: 'if (run.pace !== undefined) return;',
    tests: ['test/webhooks/endpoint-queues.test.ts'],
  },
  {
    area: 'idempotency',
    bug: 'two servers do the same call twice',
    file: 'src/run/perform.ts',
    from: '      if (!isStored) throw new IdempotencyKeyTaken();\n',
    to: '',
    tests: ['test/http/idempotency.test.ts'],
  },
  {
    area: 'idempotency',
    bug: 'one key makes a checkout of each of two bookings that come at once',
    file: 'src/domain/checkouts/functions/create_checkout.sql',
    from: '      continue when not found;\n    end if;\n    select v.fee_bps',
    to: '    end if;\n    select v.fee_bps',
    tests: ['test/checkouts/create-once.test.ts'],
  },
  {
    area: 'idempotency',
    bug: 'a refusal is kept, and given again when its cause is gone',
    file: 'src/run/perform.ts',
    from: '    throw error;\n  }\n}\n\nfunction replay(',
    to: `    if (error instanceof Problem) {
      await storeResponse(context.db, context.seal, under, { fingerprint, status: error.status, json: '{}' });
    }
    throw error;\n  }\n}\n\nfunction replay(`,
    tests: ['test/checkouts/refund.test.ts'],
  },
  {
    area: 'money',
    bug: 'a notice of the bank is put off by a worker that comes late, though another has read it',
    file: 'src/domain/payments/dispute-queries.ts',
    from: 'where notice_id = $1 and lease_token = $2',
    to: 'where notice_id = $1 and lease_token >= $2',
    tests: ['test/checkouts/notices.test.ts'],
  },
  {
    area: 'guests',
    bug: 'a worker that comes late says that a message failed, though another is sending it',
    file: 'src/domain/members/messages/queries.ts',
    from: "where message_id = $1 and lease_token = $2 and status = 'waiting'`,\n    [id, leaseToken, outcome.status",
    to: "where message_id = $1 and lease_token >= $2 and status = 'waiting'`,\n    [id, leaseToken, outcome.status",
    tests: ['test/guests/twilio.test.ts'],
  },
  {
    area: 'guests',
    bug: 'a worker that comes late puts a message off, though another is sending it',
    file: 'src/domain/members/messages/queries.ts',
    from: "where message_id = $1 and lease_token = $2 and status = 'waiting'`,\n    [id, leaseToken, dueAt]",
    to: "where message_id = $1 and lease_token >= $2 and status = 'waiting'`,\n    [id, leaseToken, dueAt]",
    tests: ['test/guests/twilio.test.ts'],
  },
];
