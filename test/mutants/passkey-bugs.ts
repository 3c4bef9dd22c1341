// Bugs in passkeys, in the browsers of a person, and in what a person changes about their own account.

import type { Mutant } from './list.ts';

const QUERIES = 'src/domain/accounts/passkey-queries.ts';
const CHALLENGES = 'src/domain/accounts/passkey-challenges.ts';
const PASSKEYS_TEST = ['test/accounts/passkeys.test.ts'];
const DEVICES_TEST = ['test/accounts/devices.test.ts'];
const ACCOUNT_TEST = ['test/accounts/own-account.test.ts'];

export const PASSKEY_BUGS: readonly Mutant[] = [
  {
    area: 'walls',
    bug: 'the challenge of one session is answered in another',
    file: QUERIES,
    from: 'and session_id is not distinct from $3\n',
    to: 'and (session_id is null) = ($3::uuid is null)\n',
    tests: PASSKEYS_TEST,
  },
  {
    area: 'walls',
    bug: 'a passkey whose counter went back signs in',
    file: QUERIES,
    from: 'and (counter < $2 or (counter = 0 and $2 = 0)) returning 1',
    to: 'and counter >= 0 returning 1',
    tests: PASSKEYS_TEST,
  },
  {
    area: 'walls',
    bug: 'the passkey of another account confirms a change',
    file: CHALLENGES,
    from: '(accountId !== null && passkey.accountId !== accountId)',
    to: "(accountId === '' && passkey.accountId !== accountId)",
    tests: PASSKEYS_TEST,
  },
  {
    area: 'walls',
    bug: 'a passkey that names another account signs in',
    file: CHALLENGES,
    from: '(handle !== null && !isHandleOf(handle, passkey.accountId))',
    to: "(handle === '' && !isHandleOf(handle, passkey.accountId))",
    tests: PASSKEYS_TEST,
  },
  {
    area: 'walls',
    bug: 'a passkey without user verification signs in',
    file: 'src/domain/accounts/webauthn.ts',
    from: '    requireUserVerification: true,\n    credential:',
    to: '    requireUserVerification: false,\n    credential:',
    tests: PASSKEYS_TEST,
  },
  {
    area: 'walls',
    bug: 'a certificate in an attestation is read',
    file: 'src/domain/accounts/webauthn.ts',
    from: "if (format !== 'none' && !isSelfSigned)",
    to: 'if (format === undefined && !isSelfSigned)',
    tests: PASSKEYS_TEST,
  },
  {
    area: 'walls',
    bug: 'calls about the own account need no fresh proof',
    file: 'src/run/authorize-session.ts',
    from: 'return resultOf(operation, rateLimit, account, refuseStepUp(operation, account, null));',
    to: 'return resultOf(operation, rateLimit, account, null);',
    tests: PASSKEYS_TEST,
  },
  {
    area: 'walls',
    bug: 'two passkeys that are added at once are more than 20',
    file: 'src/domain/accounts/passkeys.ts',
    from: '    await lockAccount(tx, account.id);\n',
    to: '',
    tests: PASSKEYS_TEST,
  },
  {
    area: 'walls',
    bug: 'a browser that one person has used counts as that of another',
    file: 'src/domain/accounts/device-queries.ts',
    from: 'where a.email_hash = $1 and d.device_hash = $2 and',
    to: 'where a.email_hash is distinct from $1 and d.device_hash = $2 and',
    tests: DEVICES_TEST,
  },
  {
    area: 'walls',
    bug: 'a browser is known for ever',
    file: 'src/domain/accounts/device-queries.ts',
    from: 'const KEPT_DAYS = 90;',
    to: 'const KEPT_DAYS = 900;',
    tests: DEVICES_TEST,
  },
  {
    area: 'walls',
    bug: 'two owners who leave a venue at once leave it without an owner',
    file: 'src/domain/accounts/people.ts',
    from: '    await lockVenue(tx, venueId);\n',
    to: '',
    tests: ACCOUNT_TEST,
  },
  {
    area: 'walls',
    bug: 'the code of a step-up changes the mail address',
    file: 'src/domain/accounts/own-account.ts',
    from: "purpose: 'email', sessionId: session.id }, now);",
    to: "purpose: 'step_up', sessionId: session.id }, now);",
    tests: ACCOUNT_TEST,
  },
];
