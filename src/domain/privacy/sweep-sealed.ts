// Goes through the sealed values that may name a guest without a column that says so: what venue systems delivered, stored
// answers, failed requests, drafts of parties, texts and mails to others. A value that names the guest is sealed again
// without the name. It can be stopped and started again at any time.

import type { Db } from '../../base/db.ts';
import type { Seal, SealedColumn } from '../../base/seal.ts';
import { membersOfParties } from '../checkouts/guests/privacy-queries.ts';
import { readSealed, replaceSealed, type SealedRow } from '../installation/reseal-queries.ts';
import type { FoundGuest } from './find-guest.ts';
import { type Identifiers, makeScrub, type Scrub, scrubJson } from './scrub-text.ts';

const BATCH = 200;

/** Every other sealed column holds a secret, or belongs to one person and is found by a hash. */
const SWEPT_COLUMNS: readonly (readonly [table: string, column: string, needs?: readonly string[]])[] = [
  ['inbound_deliveries', 'body'],
  ['idempotency_keys', 'response'],
  ['request_log', 'failure'],
  ['party_drafts', 'draft'],
  ['messages', 'body', ['member_id']],
  ['mails', 'content', ['subject']],
];

export interface Sweep {
  readonly db: Db;
  readonly seal: Seal;
  readonly identifiers: Identifiers;
  /**
   * Where the guest was, and with whom: rows of these venues, people and checkouts are searched for names as well, all
   * others for the phone and the mail address alone. Other people have the same name.
   */
  readonly venueIds: readonly string[];
  readonly memberIds: readonly string[];
  readonly checkoutIds: readonly string[];
}

export async function makeSweep(db: Db, seal: Seal, { shares, identifiers }: FoundGuest): Promise<Sweep> {
  return {
    db,
    seal,
    identifiers,
    venueIds: [...new Set(shares.map(({ venueId }) => venueId))],
    memberIds: await membersOfParties(db, shares),
    checkoutIds: [...new Set(shares.map(({ checkoutId }) => checkoutId))],
  };
}

/** Returns the sealed columns that must be swept, with what tells whose they are. */
export function sweptColumns(sealed: readonly SealedColumn[]): SealedColumn[] {
  return SWEPT_COLUMNS.map(([table, column, needs = []]) => {
    const found = sealed.find((each) => each.table === table && each.column === column);
    if (found === undefined) throw new Error(`${table}.${column} is no sealed column any more`);
    return { ...found, needs: [...(found.needs ?? []), ...needs] };
  });
}

/** Calls `use` with each text that has one of the identifiers, and with the text without them. */
export async function sweepSealed(
  sweep: Sweep,
  column: SealedColumn,
  use: (row: SealedRow, text: string, scrubbed: string) => Promise<void>,
): Promise<void> {
  const { db, seal, identifiers, venueIds, memberIds, checkoutIds } = sweep;
  const withoutNames = makeScrub({ ...identifiers, names: [] });
  const withNames = makeScrub(identifiers);
  const scrubFor = ({ names }: SealedRow): Scrub => {
    const isNear =
      venueIds.includes(names.venue_id ?? '') ||
      memberIds.includes(names.member_id ?? '') ||
      checkoutIds.includes(names.subject?.split(' ')[0] ?? '');
    return isNear ? withNames : withoutNames;
  };
  let after: SealedRow | null = null;
  for (let rows = [] as SealedRow[]; after === null || rows.length === BATCH; ) {
    rows = await readSealed(db, column, after, BATCH);
    for (const row of rows) {
      const [value] = row.sealed;
      if (value === undefined) continue;
      const text = seal.open(value, column.sealName(row.names));
      const scrubbed = scrubJson(text, scrubFor(row));
      if (scrubbed !== text) await use(row, text, scrubbed);
    }
    after = rows.at(-1) ?? null;
    if (after === null) return;
  }
}

/** Returns how many values were sealed again. A value that a server has changed meanwhile is left to the next run. */
export async function eraseSealed(sweep: Sweep, column: SealedColumn): Promise<number> {
  let erased = 0;
  await sweepSealed(sweep, column, async (row, _text, scrubbed) => {
    const sealed = sweep.seal.seal(scrubbed, column.sealName(row.names));
    if (await replaceSealed(sweep.db, column, row, [sealed])) erased++;
  });
  return erased;
}
