// A boat as it is stored, and as its partner sees it: what was submitted, without `extra`, which only reviewers see,
// and when its calendar was last read.

import type { Boat } from '../../../schemas/types.gen.ts';
import type { Mode } from '../../base/config.ts';
import { withBlockStatuses } from '../catalogue/written-defaults.ts';

export type BoatContent = Omit<Boat, 'extra'>;

export interface CalendarBlock {
  readonly starts_at: string;
  readonly ends_at: string;
  readonly status: 'busy' | 'tentative' | 'free';
}

export interface BoatRow {
  readonly id: string;
  readonly venue_id: string;
  readonly mode: Mode;
  readonly external_id: string;
  readonly status: 'pending' | 'approved' | 'rejected' | 'inactive';
  readonly review_note: string | null;
  readonly content: BoatContent;
  readonly extra: unknown;
  readonly fingerprint: Buffer;
  readonly created_at: string;
  readonly changed_at: string;
  readonly reviewed_at: string | null;
  readonly calendar_url: string | null;
  readonly calendar_checked_at: string | null;
  readonly calendar_read_at: string | null;
  readonly calendar_error: string | null;
  readonly calendar_blocks: readonly CalendarBlock[] | null;
  readonly calendar_problems: readonly string[] | null;
}

/** The columns that a partner sees. */
export type BoatViewRow = Omit<BoatRow, 'extra' | 'fingerprint'>;

export function boatView(row: BoatViewRow): Record<string, unknown> {
  return {
    id: row.id,
    object: 'boat',
    mode: row.mode,
    status: row.status,
    ...withBlockStatuses(row.content),
    active: row.content.active ?? true,
    review_note: row.review_note,
    created_at: row.created_at,
    updated_at: row.changed_at,
    reviewed_at: row.reviewed_at,
    ...(row.calendar_url === null ? {} : { calendar: calendarView(row) }),
  };
}

function calendarView(row: BoatViewRow): Record<string, unknown> {
  return {
    checked_at: row.calendar_checked_at,
    read_at: row.calendar_read_at,
    last_error: row.calendar_error,
    problems: row.calendar_problems ?? [],
    blocks: row.calendar_blocks ?? [],
  };
}
