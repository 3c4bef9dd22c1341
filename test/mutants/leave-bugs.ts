// Bugs in leaving a party: money that stays held, a seat with another price, and callers who may not.

import type { Mutant } from './list.ts';

const DECIDE_LEAVE = 'src/domain/checkouts/party/decide-leave.ts';
const LEAVE_PARTY = 'src/domain/checkouts/party/leave-party.ts';
const DECISION_TEST = ['test/payments/decide-leave.test.ts'];
const GUEST_TEST = ['test/guests/leaving.test.ts'];

export const LEAVE_BUGS: readonly Mutant[] = [
  {
    area: 'money',
    bug: 'a guest leaves a checkout that is funded, and the others are charged for less than the whole',
    file: DECIDE_LEAVE,
    from: "  if (checkout.status !== 'collecting') return { refusal: 'checkout_not_collecting' };\n",
    to: '',
    tests: DECISION_TEST,
  },
  {
    area: 'money',
    bug: 'a card form that was open when its guest left still holds a card',
    file: 'src/domain/checkouts/party/decide-party.ts',
    from: "if (hold.shareId !== share.id || hold.status === 'releasing') continue;",
    to: "if (hold.shareId !== share.id || hold.status !== 'held') continue;",
    tests: DECISION_TEST,
  },
  {
    area: 'money',
    bug: 'the renewal of a hold goes on after its guest has left',
    file: 'src/domain/checkouts/party/decide-party.ts',
    from: "if (hold.shareId !== share.id || hold.status === 'releasing') continue;",
    to: "if (hold.shareId !== share.id || hold.status === 'releasing' || hold.renews !== null) continue;",
    tests: DECISION_TEST,
  },
  {
    area: 'money',
    bug: 'the seat that a guest leaves has another price',
    file: DECIDE_LEAVE,
    from: 'const { position, amount } = share;',
    to: 'const { position, amount: left } = share;\n  const amount = left + 1;',
    tests: DECISION_TEST,
  },
  {
    area: 'money',
    bug: 'the link of an invite is enough to release a card',
    file: LEAVE_PARTY,
    from: 'mayReleaseHold: memberId !== null',
    to: 'mayReleaseHold: true',
    tests: GUEST_TEST,
  },
  {
    area: 'money',
    bug: 'a page that asked about an unpaid seat releases a card that was held since',
    file: DECIDE_LEAVE,
    from: "  if (request.seen !== null && request.seen !== state) return { refusal: 'party_changed' };\n",
    to: '',
    tests: DECISION_TEST,
  },
  {
    area: 'money',
    bug: 'a guest gives up the place of another guest',
    file: LEAVE_PARTY,
    from: "else if (memberId !== null && share.memberId !== memberId) throw new Problem('share_not_yours');",
    to: '',
    tests: GUEST_TEST,
  },
  {
    area: 'money',
    bug: 'a guest removes another guest',
    file: LEAVE_PARTY,
    from: "if (checkout.organizerId !== memberId) throw new Problem('not_organizer');",
    to: '',
    tests: GUEST_TEST,
  },
  {
    area: 'guests',
    bug: 'an organizer whose hold for a guest is released does not hear of it',
    file: 'src/domain/checkouts/notifications/decide-notifications.ts',
    from: 'return dropped.filter(hadHold).map((share) => {',
    to: 'return dropped.filter((share) => hadHold(share) && !hasOtherPayer(input, share)).map((share) => {',
    tests: ['test/guests/reminders.test.ts'],
  },
];
