// Bugs of the streams of partners and of pages, of what receivers verify, and of amounts that arrive by a venue system.

import type { Mutant } from './list.ts';

const STREAM_TEST = 'test/webhooks/stream.test.ts';
const PAGE_STREAM_TEST = 'test/http/page-stream.test.ts';
const PROGRESS_TEST = 'test/http/progress.test.ts';
const WRITER = 'src/http/event-stream.ts';
const WRITER_TEST = 'test/http/event-stream.test.ts';

export const STREAM_BUGS: readonly Mutant[] = [
  {
    area: 'events',
    bug: 'a stream leaves out an event that is committed after a later one',
    file: 'src/domain/events/follow-events.ts',
    from: 'Math.min(startedAt - MAX_COMMIT_DELAY_MS, readUntil)',
    to: 'Math.min(startedAt, readUntil)',
    tests: [STREAM_TEST],
  },
  {
    area: 'events',
    bug: 'a stream that is resumed on another server leaves out what happened meanwhile',
    file: 'src/domain/events/stream-events.ts',
    from: 'if (kept === null && last !== null)',
    to: 'if (kept === -1 && last !== null)',
    tests: [STREAM_TEST],
  },
  {
    area: 'events',
    bug: 'a resumed stream leaves out what another server sent after Last-Event-ID',
    file: 'src/domain/events/event-feeds.ts',
    from: 'Date.parse(createdAt) - MAX_ORDER_DIFFERENCE_MS',
    to: 'Date.parse(createdAt) + MAX_ORDER_DIFFERENCE_MS',
    tests: [STREAM_TEST],
  },
  {
    area: 'walls',
    bug: 'a stream goes on after its key was revoked',
    file: WRITER,
    from: 'if (!(await isStillAllowed())) return;',
    to: 'await isStillAllowed();',
    tests: [WRITER_TEST],
  },
  {
    area: 'limits',
    bug: 'a key opens any number of streams',
    file: WRITER,
    from: 'if ((this.#bySubject.get(subject) ?? 0) >= max)',
    to: 'if ((this.#bySubject.get(subject) ?? 0) > Number.MAX_SAFE_INTEGER)',
    tests: [WRITER_TEST],
  },
  {
    area: 'events',
    bug: 'an open page does not learn that a guest has taken a seat',
    file: 'src/domain/checkouts/guests/change-queries.ts',
    from: 's.member_id, s.accepted_at, s.held_at,',
    to: 's.held_at,',
    tests: [PAGE_STREAM_TEST],
  },
  {
    area: 'guests',
    bug: 'a guest gets the calendar file of a booking that was refunded whole',
    file: 'src/http/guest-files.ts',
    from: 'if (isRefundedInFull(refunds, checkout.amount)) throw notFound();',
    to: '',
    tests: ['test/guests/calendar.test.ts'],
  },
  {
    area: 'guests',
    bug: 'the progress of a booking that was refunded whole says that it stands',
    file: 'src/domain/checkouts/guests/progress.ts',
    from: 'is_refunded: refunds !== null && isRefundedInFull(refunds, checkout.amount),',
    to: 'is_refunded: false,',
    tests: ['test/http/progress.test.ts'],
  },
  {
    area: 'guests',
    bug: 'a text about a lost hold leads who covered a share to the invite of its guest',
    file: 'src/domain/checkouts/notifications/notify-guests.ts',
    from: '(isCovered ? undefined : links.get(shareId))',
    to: 'links.get(shareId)',
    tests: ['test/guests/text-messages.test.ts'],
  },
  {
    area: 'limits',
    bug: 'the stream of a page goes on after its checkout has ended',
    file: 'src/domain/checkouts/guests/checkout-changes.ts',
    from: 'if (last.isOver) return;',
    to: '',
    tests: [PAGE_STREAM_TEST],
  },
  {
    area: 'limits',
    bug: 'the checks of an open stream use up the calls of a publishable key',
    file: 'src/run/admission.ts',
    from: 'members.filter(countsForShared).length',
    to: 'members.length',
    tests: [PROGRESS_TEST],
  },
  {
    area: 'events',
    bug: 'the stream of the progress repeats what has not changed',
    file: 'src/domain/checkouts/guests/progress.ts',
    from: 'if (data === sent) continue;',
    to: '',
    tests: [PROGRESS_TEST],
  },
  {
    area: 'walls',
    bug: 'the preflight of a write is answered for the origins of other venues',
    file: 'src/http/cors.ts',
    from: "const isRead = methods.every((method) => method === 'GET');",
    to: 'const isRead = methods.length > 0;',
    tests: [PROGRESS_TEST],
  },
  {
    area: 'guests',
    bug: 'reading the progress accepts the invite of a member',
    file: 'src/domain/checkouts/guests/progress.ts',
    from: 'findForMember(services, null, id)',
    to: 'findForMember(services, principal.memberId, id)',
    tests: [PROGRESS_TEST],
  },
  {
    area: 'events',
    bug: 'the signature of Standard Webhooks is keyed with the encoded secret',
    file: 'src/domain/webhooks/deliveries/signature.ts',
    from: "ENCODED_KEY.test(text) ? 'base64' : 'utf8'",
    to: "'utf8'",
    tests: ['test/webhooks/deliveries.test.ts'],
  },
  {
    area: 'money',
    bug: 'a custom delivery takes an amount with a point',
    file: 'src/domain/hooks/apply-custom.ts',
    from: 'problemsOf(context, schema, data, pointed)',
    to: 'problemsOf(context, schema, data)',
    tests: ['test/http/amounts.test.ts'],
  },
];
