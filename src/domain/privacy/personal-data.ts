// Every column that may hold something of a guest: what it is, for how long, who sees it, and what `guest erase` does. The
// table of docs/guides/privacy.md is made from this list, and a test compares it with every column of the database, so that
// a new column cannot be forgotten.

export interface PersonalData {
  /** Columns of one table that share the rest. */
  readonly columns: readonly string[];
  readonly table: string;
  readonly what: string;
  readonly until: string;
  readonly seenBy: string;
  readonly onErase: string;
}

const ERASED = 'removed';
const SCRUBBED = 'the guest’s name, phone and mail address are taken out';

const data = (
  table: string,
  columns: readonly string[],
  what: string,
  until: string,
  seenBy: string,
  onErase: string,
): PersonalData => ({ table, columns, what, until, seenBy, onErase });

export const PERSONAL_DATA: readonly PersonalData[] = [
  data(
    'members',
    ['display_name', 'language'],
    'the name and language that a guest chose',
    'until erased',
    'the party; the venue, as the name of a share',
    ERASED,
  ),
  data(
    'members',
    ['phone', 'phone_hash', 'invited_phone_hash'],
    'the phone, encrypted, and its keyed hash',
    'until erased',
    'no one; the worker sends texts to it',
    ERASED,
  ),
  data(
    'shares',
    ['display_name', 'invited_phone_hash'],
    'the name that the organizer typed, and the keyed hash of the phone',
    'until erased',
    'the party and the venue; the hash no one',
    ERASED,
  ),
  data(
    'checkouts',
    ['description', 'metadata', 'location', 'external_booking_id'],
    'what the venue wrote about a booking',
    'with the booking',
    'the party and the venue',
    `${SCRUBBED}; the booking’s own id stays`,
  ),
  data(
    'checkouts',
    ['return_url', 'cancel_url'],
    'where the venue’s pages are; the venue may put a guest’s data into their query',
    'with the booking',
    'the party and the venue',
    `${SCRUBBED}, in the query`,
  ),
  data('movements', ['reason'], 'why the venue refunded, in its own words', 'with the books', 'the venue', SCRUBBED),
  data(
    'guest_erasures',
    ['person_hash', 'marks'],
    'an erasure that has not ended: a keyed hash, and the names it still searches for, encrypted',
    'until the erasure ends',
    'no one',
    ERASED,
  ),
  data(
    'events',
    ['data'],
    'names of shares, as they were sent to the venue',
    'with the booking',
    'the venue',
    'the name is removed from the guest’s shares and taken out of free text; the rest stays',
  ),
  data(
    'deliveries',
    ['last_response', 'last_error', 'earlier_attempts'],
    'what the venue’s server answered',
    '`DELIVERY_LOG_DAYS` (30)',
    'the venue',
    SCRUBBED,
  ),
  data('test_inbox_messages', ['body'], 'copies of events of test mode', '30 days at most', 'the venue', ERASED),
  data(
    'messages',
    ['phone', 'phone_hash', 'body', 'last_error', 'provider_id'],
    'text messages, encrypted',
    '30 days',
    'no one; the sandbox’s outbox',
    ERASED,
  ),
  data(
    'mails',
    ['address', 'address_hash', 'content', 'last_error', 'subject'],
    'receipts by mail, encrypted',
    '30 days',
    'no one; the sandbox’s outbox',
    ERASED,
  ),
  data('sign_in_challenges', ['phone', 'phone_hash'], 'a sign-in by code', '1 day after its end', 'no one', ERASED),
  data('member_sessions', ['token_hash'], 'a browser that is signed in', 'until its end', 'no one', ERASED),
  data(
    'named_phones',
    ['phone_hash'],
    'which phones an organizer has named, as keyed hashes',
    'until erased',
    'no one',
    ERASED,
  ),
  data(
    'opted_out_phones',
    ['phone_hash'],
    'the keyed hash of a phone that wants no texts',
    'until it opts in',
    'no one',
    'kept: the phone must not get texts again',
  ),
  data(
    'party_drafts',
    ['draft'],
    'a party that an organizer has begun to choose, encrypted',
    'until it is chosen',
    'the organizer',
    ERASED,
  ),
  data(
    'channels',
    ['name'],
    'the name of a group chat',
    'until erased',
    'its members',
    'the guest leaves the chat; its name stays',
  ),
  data(
    'idempotency_keys',
    ['response'],
    'stored answers, encrypted',
    '`IDEMPOTENCY_KEY_DAYS` (30)',
    'the caller who repeats a call',
    SCRUBBED,
  ),
  data(
    'request_log',
    ['failure', 'path', 'field', 'address', 'user_agent'],
    'failed calls of the venue’s programs, masked and encrypted; their addresses and browsers, those of guests too when the venue’s page uses a publishable key',
    '`REQUEST_LOG_DAYS` (7)',
    'the venue',
    `${SCRUBBED} in the body; addresses and browsers lead to no guest and go by themselves`,
  ),
  data(
    'request_blocks',
    ['lines', 'address', 'user_agent'],
    'paths, addresses and browsers of calls of the venue’s programs that succeeded, masked, and those of guests when its page uses a publishable key',
    '`REQUEST_LOG_DAYS` (7)',
    'the venue',
    'goes by itself: they lead to no guest',
  ),
  data(
    'inbound_deliveries',
    ['body'],
    'what a venue system sent, encrypted: it can name guests',
    '30 days; 1 day if it changed nothing',
    'the venue',
    SCRUBBED,
  ),
  data(
    'holds',
    [
      'card_brand',
      'card_last4',
      'customer_id',
      'payment_method_id',
      'intent_id',
      'charge_id',
      'client_secret',
      'refusal',
    ],
    'the brand and last digits of a card, and its ids at the card processor',
    'with the books',
    'the guest; the venue sees that a share is paid',
    'kept: refunds and disputes need them',
  ),
  data(
    'hold_request_addresses',
    ['address_hash'],
    'the keyed hash of the address from which a hold was asked for',
    '1 day',
    'no one',
    'goes by itself',
  ),
  data(
    'declines',
    ['address_hash', 'reason'],
    'why a card was refused',
    'the hash 1 day, the rest 90',
    'no one',
    'goes by itself',
  ),
  data(
    'activity',
    ['person'],
    'who looked at and booked what, as a hashed id',
    'as long as activity is stored',
    'no one; venues see counts',
    'kept: it leads to no one',
  ),
  data(
    'activity_people',
    ['person'],
    'on which days a hashed id looked or booked',
    'as long as activity is stored, and 400 days more',
    'no one; venues see counts',
    'kept: it leads to no one',
  ),
  data('limit_windows', ['subject'], 'calls of the last hour, by a hash', '1 hour', 'no one', 'goes by itself'),
  data('limit_calls', ['subject'], 'calls of the last hour, by a hash', '1 hour', 'no one', 'goes by itself'),
  data('daily_uses', ['subject'], 'texts of the last day, by a hash or an id', '1 day', 'no one', 'goes by itself'),
  data(
    'audit_log',
    ['detail', 'subject'],
    'what people of the venue and operators did: ids and amounts',
    'for good',
    'owners of the venue, operators',
    'kept: it is evidence, and has no name, phone or mail address of a guest; the reason of a refund, which earlier releases wrote, is removed',
  ),
  data(
    'installation_audit',
    ['detail', 'subject'],
    'what operators did, this erasure as well: ids and counts',
    'for good',
    'operators',
    'kept, as above',
  ),
];

/** As Markdown. */
export function personalDataTable(): string {
  const head = ['Where', 'What', 'How long', 'Who sees it', 'On `guest erase`'];
  const rows = PERSONAL_DATA.map(({ table, columns, what, until, seenBy, onErase }) => [
    columns.map((column) => `\`${table}.${column}\``).join(', '),
    what,
    until,
    seenBy,
    onErase,
  ]);
  const line = (cells: readonly string[]): string => `| ${cells.join(' | ')} |`;
  return [line(head), line(head.map(() => '---')), ...rows.map(line)].join('\n');
}
