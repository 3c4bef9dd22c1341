// Bugs about holds whose renewal was refused, and the cards that guests replace them with.

import type { Mutant } from './list.ts';

export const RENEWAL_BUGS: readonly Mutant[] = [
  {
    area: 'guests',
    bug: 'a guest whose hold was not renewed cannot give another card',
    file: 'src/domain/checkouts/locked-checkout.ts',
    from: "hold?.status === 'held' && hold.renewalRefusedAt !== null;",
    to: "hold?.status === 'open' && hold.renewalRefusedAt !== null;",
    tests: ['test/guests/renewal.test.ts'],
  },
  {
    area: 'guests',
    bug: 'a share whose hold needs no renewal takes a second card',
    file: 'src/domain/checkouts/locked-checkout.ts',
    from: "hold?.status === 'held' && hold.renewalRefusedAt !== null;",
    to: "hold?.status === 'held';",
    tests: ['test/guests/renewal.test.ts'],
  },
  {
    area: 'money',
    bug: 'a card form that replaces a hold stays open after the party was charged',
    file: 'src/domain/checkouts/capture/decide-capture.ts',
    from: ', ...releaseReplacements(checkout, now)];',
    to: '];',
    tests: ['test/guests/renewal.test.ts'],
  },
  {
    area: 'guests',
    bug: 'the card form that should replace a hold is useless once that hold has lapsed',
    file: 'src/domain/checkouts/lose-hold.ts',
    from: "        : { step: 'activate renewal', id },",
    to: "        : { step: 'transition hold', id, from: status, to: 'releasing', dueAt: now },",
    tests: ['test/guests/renewal.test.ts'],
  },
  {
    area: 'money',
    bug: 'a share is called released while the outcome of its capture is unknown',
    file: 'src/domain/checkouts/capture/decide-capture.ts',
    from: " || (outcome === 'released' && !isLastRelease)) {",
    to: " || (outcome === 'captured' && !isLastRelease && hold.status !== 'releasing')) {",
    tests: ['test/payments/decide-walk.test.ts'],
  },
  {
    area: 'guests',
    bug: 'a guest is not asked for another card before the hold lapses',
    file: 'src/domain/checkouts/write-steps.ts',
    from: 'update.renewalRefusedAt == null ? null : scheduleNotificationsIfParty(tx, venueId, checkoutId),',
    to: 'update.renewalRefusedAt == null ? null : null,',
    tests: ['test/guests/renewal.test.ts'],
  },
  {
    area: 'guests',
    bug: 'the page of a guest whose hold was not renewed says that all is well',
    file: 'src/http/pages/page-model.ts',
    from: '  return share.renew_by !== null && share.covered_by === null;',
    to: '  return share.renew_by !== null && share.covered_by !== null;',
    tests: ['test/pages/states.test.ts'],
  },
  {
    area: 'money',
    bug: 'in some order of events a refused renewal releases the good hold',
    file: 'src/domain/checkouts/holds/decide-renewal.ts',
    from: "  return { step: 'update hold', id: original.id, update: { renewalRefusedAt: now }, dueAt };\n",
    to: '  return release(original, now);\n',
    tests: 'simulation',
  },
];
