// Bugs in webhooks to partners, in deliveries from venue systems, and in analytics.

import type { Mutant } from './list.ts';

const DECIDE_CAPTURE = 'src/domain/checkouts/capture/decide-capture.ts';
const PEOPLE_CHANGES = 'src/domain/analytics/functions/people_changes.sql';
const COUNT_ACTIVITY = 'src/domain/analytics/functions/count_activity.sql';
const EXACT_TEST = ['test/analytics/exact.test.ts'];
const SEEDS_TEST = ['test/analytics/seeds.test.ts'];

export const MESSAGE_BUGS: readonly Mutant[] = [
  {
    area: 'events',
    bug: 'a completed checkout records no event',
    file: DECIDE_CAPTURE,
    from: "    { step: 'record event', type: 'checkout.completed' },\n",
    to: '',
    tests: ['test/webhooks/events.test.ts'],
  },
  {
    area: 'events',
    bug: 'a worker with a stale lease token of an endpoint queue records attempts',
    file: 'src/domain/webhooks/functions/record_attempts.sql',
    from: 'and q.lease_token = p_lease_token for update;',
    to: 'for update;',
    tests: ['test/webhooks/endpoint-queues.test.ts'],
  },
  {
    area: 'events',
    bug: 'the signature does not cover the body',
    file: 'src/domain/webhooks/deliveries/signature.ts',
    from: ".update(body).digest('hex')",
    to: ".digest('hex')",
    tests: ['test/webhooks/deliveries.test.ts'],
  },
  {
    area: 'events',
    bug: 'a redirect counts as delivered',
    file: 'src/domain/webhooks/deliveries/attempt.ts',
    from: 'const delivered = status >= 200 && status < 300;',
    to: 'const delivered = status >= 200 && status < 400;',
    tests: ['test/webhooks/deliveries.test.ts'],
  },
  {
    area: 'events',
    bug: 'deliveries are retried for 80 hours',
    file: 'src/domain/webhooks/deliveries/schedule.ts',
    from: 'return due <= latest ? Math.round(due) : null;',
    to: 'return due <= latest + 8 * HOUR ? Math.round(due) : null;',
    tests: ['test/webhooks/schedule.test.ts'],
  },
  {
    area: 'events',
    bug: 'a private address embedded in an IPv6 address counts as public',
    file: 'src/base/outbound/address.ts',
    from: "return range === 'unicast' && isAllocated && !sixBone && !isatap ? 'public' : 'refused';",
    to: "return range === 'loopback' ? 'refused' : 'public';",
    tests: ['test/outbound/spellings.test.ts'],
  },
  {
    area: 'hooks',
    bug: 'a delivery for a revoked integration is accepted',
    file: 'src/domain/hooks/functions/admit_hook.sql',
    from: 'where r.token_hash = p_hash and i.provider = p_provider and i.revoked_at is null and v.revoked_at is null;',
    to: 'where r.token_hash = p_hash and i.provider = p_provider and v.revoked_at is null;',
    tests: ['test/hooks/address.test.ts'],
  },
  {
    area: 'hooks',
    bug: 'the same delivery is stored twice',
    file: 'src/domain/hooks/functions/store_inbound.sql',
    from: '  is_duplicate := found;\n',
    to: '  is_duplicate := false;\n',
    tests: ['test/hooks/address.test.ts'],
  },
  {
    area: 'hooks',
    bug: 'a custom signature from last year is accepted',
    file: 'src/domain/hooks/signatures.ts',
    from: 'return matches.includes(true) && Math.abs(now / 1000 - Number(t)) <= TOLERANCE_SECONDS;',
    to: 'return matches.includes(true) && now / 1000 - Number(t) <= 4e8;',
    tests: ['test/hooks/signatures.test.ts'],
  },
  {
    area: 'analytics',
    bug: 'a person who came on two days of one batch counts twice',
    file: PEOPLE_CHANGES,
    from: 'greatest(c.old_previous_hour, lag(first_hour(c.day) + latest_hour(c.hours)) over w), c.day)',
    to: 'c.old_previous_hour, c.day)',
    tests: EXACT_TEST,
  },
  {
    area: 'analytics',
    bug: 'late activity does not correct the following day',
    file: PEOPLE_CHANGES,
    from: 'from with_stored_rows k where k.next_day is not null',
    to: 'from with_stored_rows k where k.next_day is not null and false',
    tests: EXACT_TEST,
  },
  {
    area: 'analytics',
    bug: 'a person who came in the first whole hour and on the last day counts twice',
    file: 'src/domain/analytics/functions/whole_figures.sql',
    from: 's.previous_hour >= p_hour_from\n      and s.previous_hour < first_hour(p_first_day) and s.day = p_end_day',
    to: 's.previous_hour >= p_hour_from + 1\n      and s.previous_hour < first_hour(p_first_day) and s.day = p_end_day',
    tests: SEEDS_TEST,
  },
  {
    area: 'analytics',
    bug: 'test activity is counted',
    file: COUNT_ACTIVITY,
    from: "where u.is_new and u.mode = 'live'",
    to: 'where u.is_new',
    tests: ['test/http/analytics.test.ts'],
  },
  {
    area: 'analytics',
    bug: 'a repeated event in a batch with new events is counted again',
    file: COUNT_ACTIVITY,
    from: "where u.is_new and u.mode = 'live'",
    to: "where u.mode = 'live'",
    tests: EXACT_TEST,
  },
  {
    area: 'analytics',
    bug: 'a person has the same hash at every venue',
    file: 'src/domain/analytics/record.ts',
    from: 'event.member_id, `activity member $',
    to: 'event.member_id, `activity member',
    tests: ['test/http/analytics.test.ts'],
  },
  {
    area: 'analytics',
    bug: 'a window of 366 days and one millisecond is accepted',
    file: 'src/domain/analytics/window.ts',
    from: 'length <= longest)',
    to: 'length <= longest + 1_000n)',
    tests: ['test/http/analytics.test.ts'],
  },
  {
    area: 'analytics',
    bug: 'the booked amount loses its cents',
    file: 'src/domain/analytics/report.ts',
    from: 'figures.cents / 100',
    to: 'Math.floor(figures.cents / 100)',
    tests: ['test/http/analytics.test.ts'],
  },
];
