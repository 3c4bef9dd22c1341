// Bugs in what is told to others, in what others tell us, and in what is counted.

import type { Mutant } from './list.ts';

const CAPTURE = 'src/domain/checkouts/capture/decide-capture.ts';
const PEOPLE = 'src/domain/analytics/functions/people_changes.sql';
const COUNTED = 'src/domain/analytics/functions/count_activity.sql';
const EXACT = ['test/analytics/exact.test.ts'];
const SEEDS = ['test/analytics/seeds.test.ts'];

export const MESSAGE_BUGS: readonly Mutant[] = [
  {
    area: 'events',
    bug: 'a completed checkout tells nobody',
    file: CAPTURE,
    from: "    { step: 'record event', type: 'checkout.completed' },\n",
    to: '',
    tests: ['test/webhooks/events.test.ts'],
  },
  {
    area: 'events',
    bug: 'a worker that lost its lane writes all the same',
    file: 'src/domain/webhooks/functions/record_attempts.sql',
    from: 'and q.lease_token = p_lease_token for update;',
    to: 'for update;',
    tests: ['test/webhooks/endpoint-queues.test.ts'],
  },
  {
    area: 'events',
    bug: 'the body is not signed',
    file: 'src/domain/webhooks/deliveries/signature.ts',
    from: ".update(body).digest('hex')",
    to: ".digest('hex')",
    tests: ['test/webhooks/deliveries.test.ts'],
  },
  {
    area: 'events',
    bug: 'a redirect is a yes',
    file: 'src/domain/webhooks/deliveries/attempt.ts',
    from: 'const delivered = status >= 200 && status < 300;',
    to: 'const delivered = status >= 200 && status < 400;',
    tests: ['test/webhooks/deliveries.test.ts'],
  },
  {
    area: 'events',
    bug: 'deliveries are tried for 80 hours',
    file: 'src/domain/webhooks/deliveries/schedule.ts',
    from: 'return due <= latest ? Math.round(due) : null;',
    to: 'return due <= latest + 8 * HOUR ? Math.round(due) : null;',
    tests: ['test/webhooks/schedule.test.ts'],
  },
  {
    area: 'events',
    bug: 'an address inside an IPv6 one is taken for public',
    file: 'src/base/outbound/address.ts',
    from: "return range === 'unicast' && isAllocated && !sixBone && !isatap ? 'public' : 'refused';",
    to: "return range === 'loopback' ? 'refused' : 'public';",
    tests: ['test/outbound/spellings.test.ts'],
  },
  {
    area: 'hooks',
    bug: 'a delivery of a revoked integration is taken in',
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
    bug: 'a custom signature of last year is good',
    file: 'src/domain/hooks/signatures.ts',
    from: 'return matches.includes(true) && Math.abs(now / 1000 - Number(t)) <= TOLERANCE_SECONDS;',
    to: 'return matches.includes(true) && now / 1000 - Number(t) <= 4e8;',
    tests: ['test/hooks/signatures.test.ts'],
  },
  {
    area: 'analytics',
    bug: 'who came on two days of one batch is two people',
    file: PEOPLE,
    from: 'greatest(c.old_previous_hour, lag(first_hour(c.day) + latest_hour(c.hours)) over w), c.day)',
    to: 'c.old_previous_hour, c.day)',
    tests: EXACT,
  },
  {
    area: 'analytics',
    bug: 'what comes late leaves the day after it as it was',
    file: PEOPLE,
    from: 'from known k where k.next_day is not null',
    to: 'from known k where k.next_day is not null and false',
    tests: EXACT,
  },
  {
    area: 'analytics',
    bug: 'who came in the first whole hour and again on the last day is two people',
    file: 'src/domain/analytics/functions/whole_figures.sql',
    from: 's.previous_hour >= p_low\n      and s.previous_hour < first_hour(p_first_day) and s.day = p_end_day',
    to: 's.previous_hour >= p_low + 1\n      and s.previous_hour < first_hour(p_first_day) and s.day = p_end_day',
    tests: SEEDS,
  },
  {
    area: 'analytics',
    bug: 'test activity is counted',
    file: COUNTED,
    from: "where u.is_new and u.mode = 'live'",
    to: 'where u.is_new',
    tests: ['test/http/analytics.test.ts'],
  },
  {
    area: 'analytics',
    bug: 'what was sent before is counted again beside what is new',
    file: COUNTED,
    from: "where u.is_new and u.mode = 'live'",
    to: "where u.mode = 'live'",
    tests: EXACT,
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
    bug: 'a window of 366 days and a millisecond is answered',
    file: 'src/domain/analytics/window.ts',
    from: 'length <= longest)',
    to: 'length <= longest + 1_000n)',
    tests: ['test/http/analytics.test.ts'],
  },
  {
    area: 'analytics',
    bug: 'the cents of what was booked are left out',
    file: 'src/domain/analytics/report.ts',
    from: 'figures.cents / 100',
    to: 'Math.floor(figures.cents / 100)',
    tests: ['test/http/analytics.test.ts'],
  },
];
