// The committed rows of our tables, read in one statement after every commit: all rows of each table that a statement
// of the commit can have changed. When all work is done, all tables are compared, to find changes that were missed.

import { Violation } from './scheduler.ts';

export interface Snapshot {
  readonly checkouts: readonly {
    readonly id: string;
    readonly mode: string;
    readonly status: 'open' | 'collecting' | 'funded' | 'completed' | 'expired' | 'canceled';
    readonly amount: number;
    readonly fee: number;
    readonly refunded: number;
    readonly failedRefund: number;
    readonly booking: string;
    readonly due: number | null;
    readonly expiresAt: number;
    readonly leaseToken: number;
  }[];
  readonly shares: readonly {
    readonly id: string;
    readonly checkout: string;
    readonly status: 'invited' | 'held' | 'captured' | 'released' | 'refunded' | 'failed';
    readonly amount: number;
    readonly refunded: number;
    readonly lost: number;
    readonly member: string;
    readonly isDropped: boolean;
    /** Its guest said no, or the organizer removed the guest. */
    readonly hasLeft: boolean;
  }[];
  readonly holds: readonly {
    readonly id: string;
    readonly checkout: string;
    readonly share: string;
    readonly status: 'requested' | 'open' | 'held' | 'capturing' | 'captured' | 'releasing' | 'released' | 'voided';
    readonly amount: number;
    readonly renews: string | null;
    readonly intent: string | null;
    readonly due: number | null;
    readonly heldAt: number | null;
    readonly renewalRefusedAt: number | null;
    readonly processorFee: number | null;
    readonly leaseToken: number;
  }[];
  readonly movements: readonly {
    readonly id: string;
    readonly checkout: string;
    readonly share: string;
    readonly hold: string;
    readonly kind: 'refund' | 'return' | 'transfer' | 'reversal';
    readonly status: 'waiting' | 'sending' | 'pending' | 'frozen' | 'done' | 'owed' | 'failed' | 'dropped' | 'closed';
    readonly amount: number;
    readonly sent: number | null;
    readonly owed: number;
    /** The operator who pays it by hand. */
    readonly byHandBy: string | null;
    readonly settled: number;
    readonly writtenOff: number;
    readonly reversed: string | null;
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
  }[];
  readonly keys: readonly { readonly key: string; readonly refersTo: string | null; readonly status: number }[];
  readonly disputes: readonly {
    readonly id: string;
    readonly hold: string;
    readonly amount: number;
    readonly status: string;
    /** It was lost, and the loss is divided. */
    readonly isDivided: boolean;
    readonly divided: number;
    /** What of it is our loss, because an operator had paid by hand. */
    readonly ownPart: number;
  }[];
  readonly processorEvents: readonly { readonly id: string; readonly due: number }[];
  readonly payouts: readonly { readonly checkout: string; readonly amount: number }[];
  readonly accounts: readonly { readonly id: string; readonly status: string | null; readonly due: number }[];
  /** Events that are not yet dispatched. */
  readonly undispatched: readonly { readonly event: string }[];
  readonly endpoints: readonly { readonly id: string; readonly status: 'active' | 'disabled' }[];
  readonly queues: readonly {
    readonly endpoint: string;
    readonly leaseToken: number;
    readonly due: number | null;
    readonly availableAt: number | null;
  }[];
  readonly deliveries: readonly {
    readonly endpoint: string;
    readonly event: string;
    readonly status: 'pending' | 'delivered' | 'failed';
    readonly attempts: number;
    readonly due: number | null;
    readonly endsAt: number;
    /** When the last recorded attempt began, by the clock of its worker. */
    readonly lastAttemptAt: number | null;
    readonly endReason: string | null;
  }[];
}

export const EMPTY_SNAPSHOT: Snapshot = {
  checkouts: [],
  shares: [],
  holds: [],
  movements: [],
  entries: [],
  events: [],
  keys: [],
  disputes: [],
  processorEvents: [],
  payouts: [],
  accounts: [],
  undispatched: [],
  endpoints: [],
  queues: [],
  deliveries: [],
};

export type SnapshotPart = keyof Snapshot;

type ParseCell = (cell: string) => unknown;
const parseText: ParseCell = (cell) => cell;
const parseNumber: ParseCell = Number;
const parseBoolean: ParseCell = (cell) => cell === 't';
const nullable =
  (reading: ParseCell): ParseCell =>
  (cell) =>
    cell === '' ? null : reading(cell);

const millisOf = (column: string): string => `(extract(epoch from ${column}) * 1000)::bigint`;

interface SnapshotTable {
  readonly from: string;
  readonly order: string;
  /** By property of a row: the column, and how to parse it. */
  readonly columns: Readonly<Record<string, readonly [column: string, reading: ParseCell]>>;
}

const TABLES: Readonly<Record<SnapshotPart, SnapshotTable>> = {
  checkouts: {
    from: 'checkouts',
    order: 'checkout_id',
    columns: {
      id: ['checkout_id', parseText],
      mode: ['mode', parseText],
      status: ['status', parseText],
      amount: ['amount', parseNumber],
      fee: ['fee_amount', parseNumber],
      refunded: ['refunded_amount', parseNumber],
      failedRefund: ['failed_refund_amount', parseNumber],
      booking: ['external_booking_id', parseText],
      due: [millisOf('capture_due_at'), nullable(parseNumber)],
      expiresAt: [millisOf('expires_at'), parseNumber],
      leaseToken: ['lease_token', parseNumber],
    },
  },
  shares: {
    from: 'shares',
    order: 'share_id',
    columns: {
      id: ['share_id', parseText],
      checkout: ['checkout_id', parseText],
      status: ['status', parseText],
      amount: ['amount', parseNumber],
      refunded: ['refunded_amount', parseNumber],
      lost: ['lost_amount', parseNumber],
      member: ['member_id', parseText],
      isDropped: ['dropped_at is not null', parseBoolean],
      hasLeft: ['drop_reason is not null', parseBoolean],
    },
  },
  holds: {
    from: 'holds',
    order: 'hold_id',
    columns: {
      id: ['hold_id', parseText],
      checkout: ['checkout_id', parseText],
      share: ['share_id', parseText],
      status: ['status', parseText],
      amount: ['amount', parseNumber],
      renews: ['renews', nullable(parseText)],
      intent: ['intent_id', nullable(parseText)],
      due: [millisOf('due_at'), nullable(parseNumber)],
      heldAt: [millisOf('held_at'), nullable(parseNumber)],
      renewalRefusedAt: [millisOf('renewal_refused_at'), nullable(parseNumber)],
      processorFee: ['processor_fee', nullable(parseNumber)],
      leaseToken: ['lease_token', parseNumber],
    },
  },
  movements: {
    from: 'movements',
    order: 'movement_id',
    columns: {
      id: ['movement_id', parseText],
      checkout: ['checkout_id', parseText],
      share: ['share_id', parseText],
      hold: ['hold_id', parseText],
      kind: ['kind', parseText],
      status: ['status', parseText],
      amount: ['amount', parseNumber],
      sent: ['sent_amount', nullable(parseNumber)],
      owed: ['owed_amount', parseNumber],
      settled: ['settled_amount', parseNumber],
      byHandBy: ['by_hand_by', nullable(parseText)],
      writtenOff: ['written_off_amount', parseNumber],
      reversed: ['reversed_transfer_id', nullable(parseText)],
      feePart: ['fee_part', parseNumber],
      due: [millisOf('due_at'), nullable(parseNumber)],
    },
  },
  entries: {
    from: 'ledger_entries',
    order: 'kind, subject',
    columns: {
      kind: ['kind', parseText],
      subject: ['subject', parseText],
      checkout: ['checkout_id', parseText],
      debit: ['debit', parseText],
      credit: ['credit', parseText],
      amount: ['amount', parseNumber],
    },
  },
  events: {
    from: 'events',
    order: 'subject, sequence',
    columns: {
      id: ['event_id', parseText],
      subject: ['subject', parseText],
      sequence: ['sequence', parseNumber],
      type: ['type', parseText],
      // The object's status is among its first fields. Parsing the whole event as JSON would cost more than all other
      // columns.
      status: [`split_part(split_part(left(data::text, 300), '"status":"', 2), '"', 1)`, parseText],
    },
  },
  keys: {
    from: 'idempotency_keys',
    order: 'idempotency_key',
    columns: {
      key: ['idempotency_key', parseText],
      refersTo: ['refers_to', nullable(parseText)],
      status: ['status', parseNumber],
    },
  },
  disputes: {
    from: 'disputes',
    order: 'dispute_id',
    columns: {
      id: ['dispute_id', parseText],
      hold: ['hold_id', parseText],
      amount: ['amount', parseNumber],
      status: ['status', parseText],
      isDivided: ['venue_part is not null', parseBoolean],
      divided: ['coalesce(venue_part + fee_part + returned_part + own_part, 0)', parseNumber],
      ownPart: ['own_part', parseNumber],
    },
  },
  processorEvents: {
    from: 'processor_events where due_at is not null',
    order: 'event_id',
    columns: { id: ['event_id', parseText], due: [millisOf('due_at'), parseNumber] },
  },
  payouts: {
    from: 'payouts',
    order: 'checkout_id',
    columns: { checkout: ['checkout_id', parseText], amount: ['amount', parseNumber] },
  },
  accounts: {
    from: 'payout_accounts',
    order: 'account_id',
    columns: {
      id: ['account_id', parseText],
      status: ['transfers_status', nullable(parseText)],
      due: [millisOf('check_at'), parseNumber],
    },
  },
  undispatched: { from: 'undispatched_events', order: 'event_id', columns: { event: ['event_id', parseText] } },
  endpoints: {
    from: 'webhook_endpoints',
    order: 'endpoint_id',
    columns: { id: ['endpoint_id', parseText], status: ['status', parseText] },
  },
  queues: {
    from: 'endpoint_queues',
    order: 'endpoint_id',
    columns: {
      endpoint: ['endpoint_id', parseText],
      leaseToken: ['lease_token', parseNumber],
      due: [millisOf('due_at'), nullable(parseNumber)],
      availableAt: [`case when isfinite(available_at) then ${millisOf('available_at')} end`, nullable(parseNumber)],
    },
  },
  deliveries: {
    from: 'deliveries',
    order: 'endpoint_id, created_at',
    columns: {
      endpoint: ['endpoint_id', parseText],
      event: ['event_id', parseText],
      status: ['status', parseText],
      attempts: ['attempts', parseNumber],
      due: [millisOf('due_at'), nullable(parseNumber)],
      endsAt: [millisOf('ends_at'), parseNumber],
      lastAttemptAt: [millisOf('last_attempt_at'), nullable(parseNumber)],
      endReason: ['end_reason', nullable(parseText)],
    },
  },
};

export const ALL_PARTS = Object.keys(TABLES) as readonly SnapshotPart[];

const CELL_SEPARATOR = '\u001f';
const ROW_SEPARATOR = '\u001e';

function selectPart(part: SnapshotPart): string {
  const { from, order, columns } = TABLES[part];
  const cells = Object.values(columns).map(([column]) => column);
  return `(select string_agg(concat(${cells.join(`, e'\\x1f', `)}), e'\\x1e' order by ${order}) from ${from}) as "${part}"`;
}

const statements = new Map<string, string>();

/** The statement that reads these parts. */
export function snapshotStatement(parts: readonly SnapshotPart[]): string {
  const name = parts.join(' ');
  let statement = statements.get(name);
  if (statement === undefined) {
    statement = `select ${parts.map(selectPart).join(', ')}`;
    statements.set(name, statement);
  }
  return statement;
}

/** The parts that SQL functions write. */
const PARTS_WRITTEN_BY: Readonly<Record<string, readonly SnapshotPart[]>> = {
  create_checkout: ['checkouts', 'events', 'keys', 'undispatched'],
  expire_checkouts: ['checkouts', 'shares', 'holds', 'events', 'undispatched'],
  record_checkout_event: ['events', 'undispatched'],
  record_event: ['events', 'undispatched'],
  open_payout: ['payouts'],
  add_failed_refund: ['checkouts', 'shares'],
  dispatch_events: ['undispatched', 'deliveries', 'queues'],
  claim_queues: ['queues'],
  schedule_venue_queues: ['queues'],
  record_attempts: ['deliveries', 'queues'],
  end_deliveries: ['deliveries'],
  // They write nothing that is read here.
  due_deliveries: [],
  allocate_timestamps: [],
};

const changedParts = new Map<string, readonly SnapshotPart[] | null>();

/** The parts that a statement can change; null if it changes no table at all. */
export function changedBy(statement: string): readonly SnapshotPart[] | null {
  let parts = changedParts.get(statement);
  if (parts === undefined) {
    parts = findChangedParts(statement);
    changedParts.set(statement, parts);
  }
  return parts;
}

function findChangedParts(statement: string): readonly SnapshotPart[] | null {
  const functions = Object.keys(PARTS_WRITTEN_BY).filter((name) => statement.includes(`${name}(`));
  if (/^\s*select\b/i.test(statement) && functions.length === 0) return null;
  const named = ALL_PARTS.filter((part) => {
    const [table = ''] = TABLES[part].from.split(' ');
    return new RegExp(`\\b${table}\\b`).test(statement);
  });
  const all = new Set([...named, ...functions.flatMap((name) => PARTS_WRITTEN_BY[name] ?? [])]);
  return ALL_PARTS.filter((part) => all.has(part));
}

export type SnapshotTexts = Readonly<Partial<Record<SnapshotPart, string | null>>>;

/** The rows as last read. */
export class CommittedState {
  present: Snapshot = EMPTY_SNAPSHOT;
  readonly #texts = new Map<SnapshotPart, string>();

  /** Replaces the parts that were just read. */
  update(texts: SnapshotTexts): Snapshot {
    const parts: Partial<Record<SnapshotPart, unknown[]>> = {};
    for (const [name, rows] of Object.entries(texts)) {
      const part = name as SnapshotPart;
      const lines = rows ?? '';
      if (this.#texts.get(part) === lines) continue;
      this.#texts.set(part, lines);
      parts[part] = rowsOf(part, lines);
    }
    this.present = { ...this.present, ...parts } as Snapshot;
    return this.present;
  }

  /** Throws if a part has changed since it was last read. */
  compare(texts: SnapshotTexts): void {
    for (const part of ALL_PARTS) {
      const [before, now] = [this.#texts.get(part) ?? '', texts[part] ?? ''];
      if (before !== now) throw new Violation(`${part} changed without a statement: ${before} and ${now}`);
    }
  }
}

function rowsOf(part: SnapshotPart, lines: string): unknown[] {
  if (lines === '') return [];
  const columns = Object.entries(TABLES[part].columns);
  return lines.split(ROW_SEPARATOR).map((line) => {
    const cells = line.split(CELL_SEPARATOR);
    return Object.fromEntries(columns.map(([name, [, read]], index) => [name, read(cells[index] ?? '')]));
  });
}
