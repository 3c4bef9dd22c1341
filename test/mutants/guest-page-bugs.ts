// Bugs in what guest pages are given: the times of a booking, colours, pictures and the calendar file; and in taking down
// what was approved.

import type { Mutant } from './list.ts';

const REFUND = 'src/domain/checkouts/refunds/plan-refund.ts';
const IMAGE_QUERIES = 'src/domain/images/image-queries.ts';
const IMAGE_TEST = ['test/guests/images.test.ts'];

export const GUEST_PAGE_BUGS: readonly Mutant[] = [
  {
    area: 'money',
    bug: 'a refund without starts_at ignores the start of the checkout',
    file: REFUND,
    from: 'requestedStart === undefined ? checkout.startsAt : Date.parse(requestedStart)',
    to: 'requestedStart === undefined ? null : Date.parse(requestedStart)',
    tests: ['test/checkouts/refund.test.ts'],
  },
  {
    area: 'money',
    bug: 'a refund by the start of the checkout gives nothing where the offering has no policy',
    file: REFUND,
    from: '  if (requestedStart === undefined && rules.length === 0) return null;\n',
    to: '',
    tests: ['test/checkouts/refund.test.ts'],
  },
  {
    area: 'guests',
    bug: 'texts ignore the time zone of the venue',
    file: 'src/domain/checkouts/timezone.ts',
    from: "own ?? venue?.timezone ?? 'UTC'",
    to: "own ?? 'UTC'",
    tests: ['test/guests/languages.test.ts'],
  },
  {
    area: 'guests',
    bug: 'a light colour of a venue makes its button unreadable',
    file: 'src/base/theme.ts',
    from: 'const venue = shift(given, 0, [[WHITE, TEXT_CONTRAST]]);',
    to: 'const venue = given;',
    tests: ['test/base/theme.test.ts'],
  },
  {
    area: 'guests',
    bug: 'a worker records a picture after its lease has run out',
    file: IMAGE_QUERIES,
    from: 'where venue_id = $1 and kind = $2 and url_hash = $3 and due_at = $4 returning 1',
    to: "where venue_id = $1 and kind = $2 and url_hash = $3 and due_at > $4::timestamptz - interval '1 year' returning 1",
    tests: IMAGE_TEST,
  },
  {
    area: 'guests',
    bug: 'a picture of any format reaches the decoders',
    file: 'src/base/image-encoder.ts',
    from: "  if (!isAllowedFormat(bytes)) throw new ImageError('It is no JPEG, PNG, WebP or AVIF picture.');\n",
    to: '',
    tests: IMAGE_TEST,
  },
  {
    area: 'guests',
    bug: 'a picture that cannot be fetched is tried again at once',
    file: 'src/domain/images/fetch-images.ts',
    from: 'const RETRY_MS = DAY_MS;',
    to: 'const RETRY_MS = 1_000;',
    tests: IMAGE_TEST,
  },
  {
    area: 'guests',
    bug: 'the picture of a rejected offering is shown',
    file: 'src/domain/offerings/queries.ts',
    from: "coalesce(approved, case when status <> 'rejected' then content end) as shown",
    to: 'coalesce(approved, content) as shown',
    tests: IMAGE_TEST,
  },
  {
    area: 'guests',
    bug: 'a guest whose refund failed reads that everyone was refunded',
    file: 'src/http/pages/ended-screens.ts',
    from: "if (failed > 0 && mine === 0) return 'failed';",
    to: "if (failed > 0 && mine === 0) return 'others';",
    tests: ['test/guests/ended-checkouts.test.ts'],
  },
  {
    area: 'guests',
    bug: 'every guest sees the card of a payer',
    file: 'src/domain/checkouts/guests/guest-queries.ts',
    from: '(lastHolds.get(share.shareId)?.payerId ?? share.memberId) === memberId',
    to: 'share.memberId !== null',
    tests: ['test/guests/ended-checkouts.test.ts'],
  },
  {
    area: 'guests',
    bug: 'a calendar file exists before anything is booked',
    file: 'src/http/guest-files.ts',
    from: "if (checkout.status !== 'completed' || checkout.starts_at === null) throw notFound();",
    to: 'if (checkout.starts_at === null) throw notFound();',
    tests: ['test/guests/calendar.test.ts'],
  },
  {
    area: 'catalogue',
    bug: 'members still see an offering that was taken down',
    file: 'src/domain/offerings/queries.ts',
    from: " when $3 = 'rejected' and (status <> 'pending' or $7) then null\n",
    to: '\n',
    tests: ['test/cli/review.test.ts'],
  },
];
