// Bugs in keys, origins and the audit log of the console.

import type { Mutant } from './list.ts';

const KEYS_TEST = ['test/accounts/keys.test.ts'];
const ORIGINS_TEST = ['test/accounts/origins.test.ts'];

export const KEY_BUGS: readonly Mutant[] = [
  {
    area: 'walls',
    bug: 'a person changes a key of the venue’s other mode',
    file: 'src/domain/keys/manage-keys.ts',
    from: 'key.venue_id !== venue.id || key.mode !== mode) throw notFound();',
    to: "key.venue_id !== venue.id || mode === ('none' as string)) throw notFound();",
    tests: KEYS_TEST,
  },
  {
    area: 'walls',
    bug: 'a key can be rolled again and again',
    file: 'src/domain/keys/roll-key.ts',
    from: 'if (key.rolled_to !== null)',
    to: "if (key.rolled_to === '')",
    tests: KEYS_TEST,
  },
  {
    area: 'walls',
    bug: 'rolling a key prolongs the old one beyond its expiry',
    file: 'src/domain/keys/roll-key.ts',
    from: 'return expires_at !== null && Date.parse(expires_at) < Date.parse(end) ? expires_at : end;',
    to: "return expires_at === '' ? expires_at : end;",
    tests: KEYS_TEST,
  },
  {
    area: 'walls',
    bug: 'a publishable live key works from the origins of test mode',
    file: 'src/domain/keys/functions/admit.sql',
    from: "case k.mode when 'live' then v.live_origins else v.origins end",
    to: 'v.origins',
    tests: ORIGINS_TEST,
  },
  {
    area: 'walls',
    bug: 'a page of a test origin reads live checkouts with a guest’s token',
    file: 'src/domain/venues/queries.ts',
    from: "case $3::text when 'live' then live_origins else origins end @> array[$1]",
    to: '$3::text is not null and (live_origins || origins) @> array[$1]',
    tests: ORIGINS_TEST,
  },
  {
    area: 'walls',
    bug: 'the audit log shows partners what an operator noted about a guest',
    file: 'src/domain/accounts/list-audit.ts',
    from: 'if (!PRIVATE_NOTES.includes(action)) return detail;',
    to: "if (action !== 'none') return detail;",
    tests: ['test/accounts/audit.test.ts'],
  },
];
