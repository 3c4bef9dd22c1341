// Bugs in the console's sign-in, sessions, roles and people.

import type { Mutant } from './list.ts';

const AUTHORIZE = 'src/run/authorize-session.ts';
const PEOPLE = 'src/domain/accounts/people-queries.ts';
const QUERIES = 'src/domain/accounts/queries.ts';
const WALLS = ['test/walls/console.test.ts'];
const PEOPLE_TEST = ['test/accounts/people.test.ts'];
const SIGN_IN_TEST = ['test/accounts/sign-in.test.ts'];

export const CONSOLE_BUGS: readonly Mutant[] = [
  {
    area: 'walls',
    bug: 'a page of another origin uses the session of a person',
    file: AUTHORIZE,
    from: 'const isOwn = given !== null && given === comparable(address.base);',
    to: 'const isOwn = given !== null && address.base !== origin.slice(0, 0);',
    tests: WALLS,
  },
  {
    area: 'walls',
    bug: 'a page of the same site, but another origin, uses the session of a person',
    file: AUTHORIZE,
    from: "(site === undefined || site === 'same-origin');",
    to: "(site === undefined || site !== 'cross-site');",
    tests: WALLS,
  },
  {
    area: 'walls',
    bug: 'every role may make every call',
    file: AUTHORIZE,
    from: 'return rolesFor(operation).includes(role) ?',
    to: 'return rolesFor(operation).length > 0 ?',
    tests: WALLS,
  },
  {
    area: 'walls',
    bug: 'a cookie counts beside a key in Authorization',
    file: 'src/run/authorize.ts',
    from: 'return authorization === undefined && headers !== undefined && headers.token !== null;',
    to: 'return headers !== undefined && headers.token !== null;',
    tests: ['test/accounts/session-calls.test.ts'],
  },
  {
    area: 'walls',
    bug: 'a session has live mode in a venue that is not linked',
    file: AUTHORIZE,
    from: "(mode === 'live' || operation.linkedOnly === true)",
    to: 'operation.linkedOnly === true',
    tests: WALLS,
  },
  {
    area: 'walls',
    bug: 'a code confirms changes for ever',
    file: AUTHORIZE,
    from: 'if (!isNeeded || now - provedAt < STEP_UP_MS) return null;',
    to: 'if (!isNeeded || provedAt > 0) return null;',
    tests: PEOPLE_TEST,
  },
  {
    area: 'walls',
    bug: 'the last owner of a venue can get another role',
    file: PEOPLE,
    from: "($3 = 'owner' or role <> 'owner' or",
    to: "($3 <> '' or role <> 'owner' or",
    tests: PEOPLE_TEST,
  },
  {
    area: 'walls',
    bug: 'two owners who leave at once leave a venue without an owner',
    file: 'src/domain/accounts/people.ts',
    from: '  await lockVenue(tx, venue.id);\n',
    to: '  if (venue.id === account.id) await lockVenue(tx, venue.id);\n',
    tests: PEOPLE_TEST,
  },
  {
    area: 'walls',
    bug: 'a session that is not used stays open',
    file: QUERIES,
    from: 'const IDLE_HOURS = 12;',
    to: 'const IDLE_HOURS = 120;',
    tests: WALLS,
  },
  {
    area: 'walls',
    bug: 'a code of another session confirms a change',
    file: QUERIES,
    from: 'and session_id is not distinct from $3 and tries',
    to: 'and (session_id is null) = ($3::uuid is null) and tries',
    tests: PEOPLE_TEST,
  },
  {
    area: 'walls',
    bug: 'callers who use up the codes of a mail address lock its owner out',
    file: 'src/domain/accounts/sign-in.ts',
    from: 'const isOwn = await hasSignedInFrom(tx, hash, network, clock.now());',
    to: 'const isOwn = (await hasSignedInFrom(tx, hash, network, clock.now())) && address.length === 0;',
    tests: SIGN_IN_TEST,
  },
];
