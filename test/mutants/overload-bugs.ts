// Bugs that let one client take the server from the others: unbounded work, unbounded answers, unread answers.

import type { Mutant } from './list.ts';

const CONNECTIONS = 'src/http/connections.ts';

export const OVERLOAD_BUGS: readonly Mutant[] = [
  {
    area: 'limits',
    bug: 'the answer to a fleet lists 100 problems for each boat',
    file: 'src/base/schema/validate.ts',
    from: '  budget.problems -= listed.length;\n',
    to: '',
    tests: ['test/http/bounded-work.test.ts'],
  },
  {
    area: 'limits',
    bug: 'a near miss is searched for every unknown field',
    file: 'src/base/schema/explain.ts',
    from: '  budget.nearMisses--;\n',
    to: '',
    tests: ['test/http/bounded-work.test.ts'],
  },
  {
    area: 'limits',
    bug: 'a client that does not read its answer stays connected',
    file: CONNECTIONS,
    from: "taken - before.taken >= MIN_BYTES_TAKEN ? { at: now, taken } : 'stalled'",
    to: '{ at: now, taken }',
    tests: ['test/http/connections.test.ts'],
  },
  {
    area: 'limits',
    bug: 'a trusted proxy is refused when its clients have many connections',
    file: CONNECTIONS,
    from: ' && !addressIn(address, config.trustedProxies)',
    to: '',
    tests: ['test/http/connections.test.ts'],
  },
  {
    area: 'limits',
    bug: 'a page of large objects has as many as its limit allows',
    file: 'src/base/page.ts',
    from: 'if (data.length > 0 && bytes > MAX_PAGE_BYTES) break;',
    to: '',
    tests: ['test/http/answer-size.test.ts'],
  },
  {
    area: 'walls',
    bug: 'anyone behind a proxy reads the metrics',
    file: 'src/base/monitoring/metrics-access.ts',
    from: '(!isProxied && addressIn(address, PRIVATE_NETWORKS))',
    to: 'addressIn(address, PRIVATE_NETWORKS)',
    tests: ['test/http/headers.test.ts'],
  },
  {
    area: 'limits',
    bug: 'a count of a call reads the calls of all others in the hour, by an index on their time',
    file: 'migrations/000164-calls-by-time-for-the-worker.sql',
    from: "(least(at, 'infinity'::timestamptz))",
    to: '(at)',
    tests: ['test/http/limits.test.ts'],
  },
];
