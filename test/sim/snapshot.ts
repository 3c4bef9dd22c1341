// Our own books as they are committed, read in one statement after every commit.

const at = (column: string): string => `(extract(epoch from ${column}) * 1000)::bigint`;
const list = (columns: string, from: string, order: string): string =>
  `(select coalesce(json_agg(row_to_json(r)), '[]') from (select ${columns} from ${from} order by ${order}) r)`;

export const SNAPSHOT = `select json_build_object(
  'checkouts', ${list(
    `checkout_id as id, mode, status, amount, fee_amount as fee, refunded_amount as refunded, external_booking_id as booking,
     ${at('work_at')} as due, ${at('expires_at')} as ends, turn`,
    'checkouts',
    'checkout_id',
  )},
  'shares', ${list(
    `share_id as id, checkout_id as checkout, status, amount, refunded_amount as refunded, member_id as member,
     dropped_at is not null as dropped`,
    'shares',
    'share_id',
  )},
  'holds', ${list(
    `hold_id as id, checkout_id as checkout, share_id as share, status, amount, renews, intent_id as intent,
     ${at('due_at')} as due, ${at('held_at')} as "heldAt", turn`,
    'holds',
    'hold_id',
  )},
  'movements', ${list(
    `movement_id as id, checkout_id as checkout, share_id as share, hold_id as hold, kind, status, amount,
     fee_part as "feePart", ${at('due_at')} as due`,
    'movements',
    'movement_id',
  )},
  'entries', ${list('kind, subject, checkout_id as checkout, debit, credit, amount', 'ledger_entries', 'kind, subject')},
  'events', ${list(
    `event_id as id, subject, sequence, type, data -> 'object' ->> 'status' as status,
     data -> 'object' ->> 'funded_amount' as funded`,
    'events',
    'subject, sequence',
  )},
  'keys', ${list('idempotency_key as key, refers_to as "refersTo", status', 'idempotency_keys', 'idempotency_key')},
  'notices', ${list(`notice_id as id, ${at('due_at')} as due`, 'processor_notices where due_at is not null', 'notice_id')},
  'payouts', ${list('checkout_id as checkout, amount', 'payouts', 'checkout_id')})::text as snapshot`;

export interface Snapshot {
  readonly checkouts: readonly {
    readonly id: string;
    readonly mode: string;
    readonly status: 'open' | 'collecting' | 'funded' | 'completed' | 'expired' | 'canceled';
    readonly amount: number;
    readonly fee: number;
    readonly refunded: number;
    readonly booking: string;
    readonly due: number | null;
    readonly ends: number;
    readonly turn: number;
  }[];
  readonly shares: readonly {
    readonly id: string;
    readonly checkout: string;
    readonly status: 'invited' | 'held' | 'captured' | 'released' | 'refunded' | 'failed';
    readonly amount: number;
    readonly refunded: number;
    readonly member: string;
    readonly dropped: boolean;
  }[];
  readonly holds: readonly {
    readonly id: string;
    readonly checkout: string;
    readonly share: string;
    readonly status: 'asked' | 'open' | 'held' | 'capturing' | 'captured' | 'releasing' | 'released' | 'gone';
    readonly amount: number;
    readonly renews: string | null;
    readonly intent: string | null;
    readonly due: number | null;
    readonly heldAt: number | null;
    readonly turn: number;
  }[];
  readonly movements: readonly {
    readonly id: string;
    readonly checkout: string;
    readonly share: string;
    readonly hold: string;
    readonly kind: 'refund' | 'return' | 'transfer' | 'reversal';
    readonly status: 'waiting' | 'sending' | 'done' | 'failed' | 'dropped';
    readonly amount: number;
    readonly feePart: number;
    readonly due: number | null;
  }[];
  readonly entries: readonly {
    readonly kind: string;
    readonly subject: string;
    readonly checkout: string;
    readonly debit: string;
    readonly credit: string;
    readonly amount: number;
  }[];
  readonly events: readonly {
    readonly id: string;
    readonly subject: string;
    readonly sequence: number;
    readonly type: string;
    readonly status: string;
    readonly funded: string;
  }[];
  readonly keys: readonly { readonly key: string; readonly refersTo: string | null; readonly status: number }[];
  readonly notices: readonly { readonly id: string; readonly due: number }[];
  readonly payouts: readonly { readonly checkout: string; readonly amount: number }[];
}

export const NOTHING: Snapshot = {
  checkouts: [],
  shares: [],
  holds: [],
  movements: [],
  entries: [],
  events: [],
  keys: [],
  notices: [],
  payouts: [],
};
