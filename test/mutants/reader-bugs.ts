// Bugs in reading back from venue systems: what is read more than once, out of order, or with refused credentials.

import type { Mutant } from './list.ts';

const READS = 'src/domain/hooks/readers/read-queries.ts';
const WORKER = 'src/domain/hooks/readers/read-due-objects.ts';
const tests = ['test/hooks/reads.test.ts'];
const LANGUAGE = ['test/hooks/reader-language.test.ts'];

export const READER_BUGS: readonly Mutant[] = [
  {
    area: 'hooks',
    bug: 'a version that was read is read again',
    file: READS,
    from: 'else excluded.wanted_at > h.read_at end',
    to: 'else true end',
    tests,
  },
  {
    area: 'hooks',
    bug: 'a ping that arrives during a read is lost',
    file: READS,
    from: 'and (wanted_seq <= $4 or wanted_version <= $5::bigint)',
    to: 'and (wanted_seq >= 0 or $4::bigint + $5::bigint > 0)',
    tests,
  },
  {
    area: 'hooks',
    bug: 'a version that is named again during its read is read twice',
    file: READS,
    from: 'and (wanted_seq <= $4 or wanted_version <= $5::bigint)',
    to: 'and (wanted_seq <= $4 or $5::bigint is distinct from $5::bigint)',
    tests: ['test/hooks/toast-reads.test.ts'],
  },
  {
    area: 'hooks',
    bug: 'a 404 of a later request takes an offering off sale',
    file: 'src/domain/hooks/readers/fetch-object.ts',
    from: 'throw step === steps[0] ? error : asPartOfObject(error);',
    to: 'throw error ?? asPartOfObject(error);',
    tests: ['test/hooks/read-failures.test.ts'],
  },
  {
    area: 'hooks',
    bug: 'a 403 of one object pauses the integration',
    file: 'src/domain/hooks/readers/call-provider.ts',
    from: "if (status === 401) return 'refused';",
    to: "if (status === 401 || status === 403) return 'refused';",
    tests: ['test/hooks/read-failures.test.ts'],
  },
  {
    area: 'hooks',
    bug: 'an object that is gone is taken off sale over something newer',
    file: 'src/domain/hooks/readers/apply-read.ts',
    from: 'if (known !== null && source.received_at < known.received_at)',
    to: 'if (known !== null && source.received_at === known.received_at)',
    tests: ['test/hooks/read-failures.test.ts'],
  },
  {
    area: 'hooks',
    bug: 'an empty list takes nothing off sale',
    file: 'src/domain/hooks/readers/apply-read.ts',
    from: 'isWholeList: isEmptyList(entry, object, scope), otherwise',
    to: 'isWholeList: false, otherwise',
    tests: ['test/hooks/toast-reads.test.ts'],
  },
  {
    area: 'hooks',
    bug: 'a worker with a stale lease token writes',
    file: 'src/domain/hooks/readers/reader-queries.ts',
    from: 'and lease_token = $3 for update',
    to: 'and $3::text is not null for update',
    tests,
  },
  {
    area: 'hooks',
    bug: 'refused credentials are tried again',
    file: WORKER,
    from: "isPaused: failure?.kind === 'refused',",
    to: 'isPaused: false,',
    tests,
  },
  {
    area: 'hooks',
    bug: 'Retry-After is ignored',
    file: WORKER,
    from: 'const pauseMs = isLater ? backoffMs(claimed.failures, failure.retryAfterMs) : 0;',
    to: 'const pauseMs = isLater ? backoffMs(claimed.failures, null) : 0;',
    tests,
  },
  {
    area: 'hooks',
    bug: 'a slot that the venue system no longer lists can still be booked',
    file: 'src/domain/hooks/slot-window.ts',
    from: 'const isInWindow = start >= now && start < until;',
    to: 'const isInWindow = start < now && start > until;',
    tests: LANGUAGE,
  },
  {
    area: 'hooks',
    bug: 'a slot without a price is sold at the price of another slot',
    file: 'src/domain/hooks/mapping/read-fields.ts',
    from: 'list: priced.length > 0 ? priced : read,',
    to: 'list: priced.length > 0 ? read : read,',
    tests: LANGUAGE,
  },
  {
    area: 'hooks',
    bug: 'the budget of a day is used up by noon',
    file: WORKER,
    from: 'if (usedToday * 2 <= perDay) return 0;',
    to: 'if (usedToday <= perDay) return 0;',
    tests: LANGUAGE,
  },
  {
    area: 'hooks',
    bug: 'the days of a request are those of UTC, not of the venue',
    file: 'src/domain/hooks/readers/read-days.ts',
    from: "const zone = timezone !== null && isZone(timezone) ? timezone : 'UTC';",
    to: "const zone = timezone !== null && isZone(timezone) ? 'UTC' : 'UTC';",
    tests: LANGUAGE,
  },
  {
    area: 'hooks',
    bug: 'joined lists are not compared by id',
    file: 'src/domain/hooks/readers/join-answers.ts',
    from: 'return isSame && allHold(only, candidate);',
    to: 'return (isSame || true) && allHold(only, candidate);',
    tests: LANGUAGE,
  },
];
