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
    from: 'case when wanted_at > $5 then',
    places: 2,
    to: 'case when wanted_at < $5 then',
    tests,
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
