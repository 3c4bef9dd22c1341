// Our own books as they are committed, read in one statement after every commit: of each table whatever is in it, when a
// statement of that commit could have changed it. What nobody said would change is compared when everything is quiet.

import { Violation } from './scheduler.ts';

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
    readonly status: 'requested' | 'open' | 'held' | 'capturing' | 'captured' | 'releasing' | 'released' | 'voided';
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
  }[];
  readonly keys: readonly { readonly key: string; readonly refersTo: string | null; readonly status: number }[];
  readonly notices: readonly { readonly id: string; readonly due: number }[];
  readonly payouts: readonly { readonly checkout: string; readonly amount: number }[];
  /** Events that nobody has dispatched. */
  readonly queue: readonly { readonly event: string }[];
  readonly endpoints: readonly { readonly id: string; readonly status: 'active' | 'disabled' }[];
  readonly lanes: readonly {
    readonly endpoint: string;
    readonly turn: number;
    readonly due: number | null;
    readonly free: number | null;
  }[];
  readonly deliveries: readonly {
    readonly endpoint: string;
    readonly event: string;
    readonly status: 'pending' | 'delivered' | 'failed';
    readonly attempts: number;
    readonly due: number | null;
    readonly ends: number;
    /** When the attempt began that was written last, by the clock of whoever made it. */
    readonly lastAt: number | null;
    readonly endedAs: string | null;
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
  notices: [],
  payouts: [],
  queue: [],
  endpoints: [],
  lanes: [],
  deliveries: [],
};

export type Part = keyof Snapshot;

type Reading = (cell: string) => unknown;
const text: Reading = (cell) => cell;
const number: Reading = Number;
const yes: Reading = (cell) => cell === 't';
const orNull =
  (reading: Reading): Reading =>
  (cell) =>
    cell === '' ? null : reading(cell);

const at = (column: string): string => `(extract(epoch from ${column}) * 1000)::bigint`;

interface Table {
  readonly from: string;
  readonly order: string;
  /** What a row is read into: the column, and how to read it. */
  readonly columns: Readonly<Record<string, readonly [column: string, reading: Reading]>>;
}

const TABLES: Readonly<Record<Part, Table>> = {
  checkouts: {
    from: 'checkouts',
    order: 'checkout_id',
    columns: {
      id: ['checkout_id', text],
      mode: ['mode', text],
      status: ['status', text],
      amount: ['amount', number],
      fee: ['fee_amount', number],
      refunded: ['refunded_amount', number],
      booking: ['external_booking_id', text],
      due: [at('capture_due_at'), orNull(number)],
      ends: [at('expires_at'), number],
      turn: ['lease_token', number],
    },
  },
  shares: {
    from: 'shares',
    order: 'share_id',
    columns: {
      id: ['share_id', text],
      checkout: ['checkout_id', text],
      status: ['status', text],
      amount: ['amount', number],
      refunded: ['refunded_amount', number],
      member: ['member_id', text],
      dropped: ['dropped_at is not null', yes],
    },
  },
  holds: {
    from: 'holds',
    order: 'hold_id',
    columns: {
      id: ['hold_id', text],
      checkout: ['checkout_id', text],
      share: ['share_id', text],
      status: ['status', text],
      amount: ['amount', number],
      renews: ['renews', orNull(text)],
      intent: ['intent_id', orNull(text)],
      due: [at('due_at'), orNull(number)],
      heldAt: [at('held_at'), orNull(number)],
      turn: ['lease_token', number],
    },
  },
  movements: {
    from: 'movements',
    order: 'movement_id',
    columns: {
      id: ['movement_id', text],
      checkout: ['checkout_id', text],
      share: ['share_id', text],
      hold: ['hold_id', text],
      kind: ['kind', text],
      status: ['status', text],
      amount: ['amount', number],
      feePart: ['fee_part', number],
      due: [at('due_at'), orNull(number)],
    },
  },
  entries: {
    from: 'ledger_entries',
    order: 'kind, subject',
    columns: {
      kind: ['kind', text],
      subject: ['subject', text],
      checkout: ['checkout_id', text],
      debit: ['debit', text],
      credit: ['credit', text],
      amount: ['amount', number],
    },
  },
  events: {
    from: 'events',
    order: 'subject, sequence',
    columns: {
      id: ['event_id', text],
      subject: ['subject', text],
      sequence: ['sequence', number],
      type: ['type', text],
      // Of the object, among the first things that it says: the whole of each event read as JSON costs more than all the rest.
      status: [`split_part(split_part(left(data::text, 300), '"status":"', 2), '"', 1)`, text],
    },
  },
  keys: {
    from: 'idempotency_keys',
    order: 'idempotency_key',
    columns: { key: ['idempotency_key', text], refersTo: ['refers_to', orNull(text)], status: ['status', number] },
  },
  notices: {
    from: 'processor_events where due_at is not null',
    order: 'event_id',
    columns: { id: ['event_id', text], due: [at('due_at'), number] },
  },
  payouts: {
    from: 'payouts',
    order: 'checkout_id',
    columns: { checkout: ['checkout_id', text], amount: ['amount', number] },
  },
  queue: { from: 'undispatched_events', order: 'event_id', columns: { event: ['event_id', text] } },
  endpoints: {
    from: 'webhook_endpoints',
    order: 'endpoint_id',
    columns: { id: ['endpoint_id', text], status: ['status', text] },
  },
  lanes: {
    from: 'endpoint_queues',
    order: 'endpoint_id',
    columns: {
      endpoint: ['endpoint_id', text],
      turn: ['lease_token', number],
      due: [at('due_at'), orNull(number)],
      free: [`case when isfinite(available_at) then ${at('available_at')} end`, orNull(number)],
    },
  },
  deliveries: {
    from: 'deliveries',
    order: 'endpoint_id, created_at',
    columns: {
      endpoint: ['endpoint_id', text],
      event: ['event_id', text],
      status: ['status', text],
      attempts: ['attempts', number],
      due: [at('due_at'), orNull(number)],
      ends: [at('ends_at'), number],
      lastAt: [at('last_attempt_at'), orNull(number)],
      endedAs: ['end_reason', orNull(text)],
    },
  },
};

export const ALL_PARTS = Object.keys(TABLES) as readonly Part[];

const CELL = '\u001f';
const LINE = '\u001e';

function reading(part: Part): string {
  const { from, order, columns } = TABLES[part];
  const cells = Object.values(columns).map(([column]) => column);
  return `(select string_agg(concat(${cells.join(`, e'\\x1f', `)}), e'\\x1e' order by ${order}) from ${from}) as ${part}`;
}

const questions = new Map<string, string>();

/** The statement that reads these. */
export function snapshotStatement(parts: readonly Part[]): string {
  const name = parts.join(' ');
  let question = questions.get(name);
  if (question === undefined) {
    question = `select ${parts.map(reading).join(', ')}`;
    questions.set(name, question);
  }
  return question;
}

/** What functions of the database write. */
const WRITTEN_BY: Readonly<Record<string, readonly Part[]>> = {
  create_checkout: ['checkouts', 'events', 'keys', 'queue'],
  expire_checkouts: ['checkouts', 'shares', 'holds', 'events', 'queue'],
  record_checkout_event: ['events', 'queue'],
  record_event: ['events', 'queue'],
  open_payout: ['payouts'],
  dispatch_events: ['queue', 'deliveries', 'lanes'],
  record_attempts: ['deliveries', 'lanes'],
  end_deliveries: ['deliveries'],
  // Nothing that is looked at; but they take locks.
  due_deliveries: [],
  allocate_timestamps: [],
};

const known = new Map<string, readonly Part[] | null>();

/** What a statement can change of these; null: it changes nothing at all, here or elsewhere. */
export function changedBy(statement: string): readonly Part[] | null {
  let parts = known.get(statement);
  if (parts === undefined) {
    parts = judged(statement);
    known.set(statement, parts);
  }
  return parts;
}

function judged(statement: string): readonly Part[] | null {
  const called = Object.keys(WRITTEN_BY).filter((name) => statement.includes(`${name}(`));
  if (/^\s*select\b/i.test(statement) && called.length === 0) return null;
  const named = ALL_PARTS.filter((part) => {
    const [table = ''] = TABLES[part].from.split(' ');
    return new RegExp(`\\b${table}\\b`).test(statement);
  });
  const all = new Set([...named, ...called.flatMap((name) => WRITTEN_BY[name] ?? [])]);
  return ALL_PARTS.filter((part) => all.has(part));
}

export type Look = Readonly<Partial<Record<Part, string | null>>>;

/** The books as they were last looked at. */
export class OurBooks {
  present: Snapshot = EMPTY_SNAPSHOT;
  readonly #texts = new Map<Part, string>();

  /** What was just read takes the place of what was known. */
  take(look: Look): Snapshot {
    const parts: Partial<Record<Part, unknown[]>> = {};
    for (const [name, rows] of Object.entries(look)) {
      const part = name as Part;
      const lines = rows ?? '';
      if (this.#texts.get(part) === lines) continue;
      this.#texts.set(part, lines);
      parts[part] = rowsOf(part, lines);
    }
    this.present = { ...this.present, ...parts } as Snapshot;
    return this.present;
  }

  /** Nothing has changed behind our back since every part was last looked at. */
  compare(look: Look): void {
    for (const part of ALL_PARTS) {
      const [before, now] = [this.#texts.get(part) ?? '', look[part] ?? ''];
      if (before !== now) throw new Violation(`${part} changed, and no statement said so: ${before} and ${now}`);
    }
  }
}

function rowsOf(part: Part, lines: string): unknown[] {
  if (lines === '') return [];
  const columns = Object.entries(TABLES[part].columns);
  return lines.split(LINE).map((line) => {
    const cells = line.split(CELL);
    return Object.fromEntries(columns.map(([name, [, read]], place) => [name, read(cells[place] ?? '')]));
  });
}
