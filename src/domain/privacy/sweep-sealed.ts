// Goes through the sealed values that may name a guest without a column that says so: what venue systems delivered, stored
// answers, failed requests, drafts of parties, texts and mails to others. A value that names the guest is sealed again
// without the name. It can be stopped and started again at any time.

import type { Db } from '../../base/db.ts';
import type { Seal, SealedColumn } from '../../base/seal.ts';
import { readSealed, replaceSealed, type SealedRow } from '../installation/reseal-queries.ts';
import type { SweepMarks } from './find-guest.ts';
import { makeScrubs, type Scrubs, scrubAllValues, scrubAnswer, scrubOthersJson } from './scrub-json.ts';
import type { Scrub } from './scrub-text.ts';

const BATCH = 200;

type RowNames = SealedRow['names'];

interface SweptColumn {
  readonly place: readonly [table: string, column: string];
  /** Columns that tell whose a row is. */
  readonly needs?: readonly string[];
  readonly scrub: (text: string, row: RowNames, marks: SweepMarks, scrubs: Scrubs) => string;
  /** The value is still to be read by a worker, so it must not change. */
  readonly isInUse?: (row: RowNames) => boolean;
}

const scrubOthers: SweptColumn['scrub'] = (text, row, marks) =>
  scrubOthersJson(text, marks, marks.venueIds.includes(row.venue_id ?? ''));

/** Texts to the party about the guest's bookings; other texts to them; texts to others. */
function scrubForReader(row: RowNames, marks: SweepMarks, scrubs: Scrubs): Scrub {
  const { subject = '', member_id = '' } = row;
  if (subject.split(' ').some((id) => marks.checkoutIds.includes(id))) return scrubs.all;
  return marks.partyMemberIds.includes(member_id) ? scrubs.contactsAndFullNames : scrubs.contacts;
}

/** Every other sealed column holds a secret, or belongs to one person and is found by a hash. */
const SWEPT_COLUMNS: readonly SweptColumn[] = [
  {
    place: ['inbound_deliveries', 'body'],
    needs: ['status'],
    scrub: scrubOthers,
    isInUse: ({ status = '' }) => status === 'pending' || status === 'reading',
  },
  { place: ['idempotency_keys', 'response'], scrub: (text, _row, marks) => scrubAnswer(text, marks) },
  { place: ['request_log', 'failure'], scrub: scrubOthers },
  { place: ['party_drafts', 'draft'], scrub: scrubOthers },
  {
    place: ['messages', 'body'],
    needs: ['member_id', 'subject'],
    scrub: (text, row, marks, scrubs) => scrubForReader(row, marks, scrubs)(text),
  },
  {
    place: ['mails', 'content'],
    needs: ['subject'],
    scrub: (text, row, marks, scrubs) => scrubAllValues(text, scrubForReader(row, marks, scrubs)),
  },
];

export interface Sweep {
  readonly db: Db;
  readonly seal: Seal;
  readonly marks: SweepMarks;
  readonly sealed: readonly SealedColumn[];
}

export interface SweepResult {
  readonly erased: number;
  /** Values that a worker still reads, or that a server has changed meanwhile: the next run takes them. */
  readonly waiting: number;
  /** Rows whose value opens with none of the keys; the first of them by name. */
  readonly unreadable: number;
  readonly firstUnreadable: string | null;
}

/** Returns the sealed columns that must be swept, with what tells whose they are. */
export function sweptColumns(sealed: readonly SealedColumn[]): (SealedColumn & SweptColumn)[] {
  return SWEPT_COLUMNS.map((swept) => {
    const { needs = [] } = swept;
    const [table, column] = swept.place;
    const found = sealed.find((each) => each.table === table && each.column === column);
    if (found === undefined) throw new Error(`${table}.${column} is no sealed column any more`);
    return { ...found, ...swept, needs: [...(found.needs ?? []), ...needs] };
  });
}

/** Calls `use` with each text that names the guest, and with the text without; returns the rows that open with no key. */
export async function sweepSealed(
  { db, seal, marks, sealed }: Sweep,
  use: (column: SealedColumn & SweptColumn, row: SealedRow, text: string, scrubbed: string) => Promise<void>,
): Promise<string[]> {
  const scrubs = makeScrubs(marks.identifiers);
  const unreadable: string[] = [];
  for (const column of sweptColumns(sealed)) {
    for (let after: SealedRow | null = null; ; ) {
      const rows: SealedRow[] = await readSealed(db, column, after, BATCH);
      for (const row of rows) {
        const [value] = row.sealed;
        if (value === undefined) continue;
        const text = seal.tryOpen(value, column.sealName(row.names));
        if (text === null) unreadable.push(`${column.table} ${column.key.map((name) => row.names[name]).join(' ')}`);
        const scrubbed = text === null ? null : column.scrub(text, row.names, marks, scrubs);
        if (text !== null && scrubbed !== null && scrubbed !== text) await use(column, row, text, scrubbed);
      }
      after = rows.at(-1) ?? null;
      if (rows.length < BATCH) break;
    }
  }
  return unreadable;
}

export async function eraseSealed(sweep: Sweep): Promise<SweepResult> {
  let erased = 0;
  let waiting = 0;
  const unreadable = await sweepSealed(sweep, async (column, row, _text, scrubbed) => {
    const sealed = sweep.seal.seal(scrubbed, column.sealName(row.names));
    const unchanged = column.isInUse === undefined ? [] : ['status'];
    const isInUse = column.isInUse?.(row.names) === true;
    if (!isInUse && (await replaceSealed(sweep.db, column, row, [sealed], unchanged))) erased++;
    else waiting++;
  });
  return { erased, waiting, unreadable: unreadable.length, firstUnreadable: unreadable[0] ?? null };
}
