// Bugs in reading back from venue systems: what is read more than once, out of order, or with refused credentials.

import type { Mutant } from './list.ts';

const READS = 'src/domain/hooks/readers/read-queries.ts';
const WORKER = 'src/domain/hooks/readers/read-due-objects.ts';
const tests = ['test/hooks/reads.test.ts'];

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
];
