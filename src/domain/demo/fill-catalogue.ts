// The demo's catalogue, through the commands of the service at times in the past: approved, waiting, rejected with a note,
// and approved with a change that waits.

import type { Queryable } from '../../base/db.ts';
import type { Input } from '../../base/operation.ts';
import { upsertBoats } from '../boats/upsert-boats.ts';
import { submitExperience } from '../experiences/submit-experience.ts';
import type { Caller } from '../keys/caller.ts';
import { upsertAll } from '../offerings/upsert-offerings.ts';
import { review } from '../review/review.ts';
import {
  approvedOfferings,
  changedOffering,
  demoBoats,
  demoEvents,
  REJECTED_OFFERING,
  REJECTION_NOTE,
  WAITING_OFFERING,
} from './catalogue-contents.ts';

const HOUR = 3_600_000;
const DAY = 24 * HOUR;

/** The venue's caller at a time in the past, and the reviewer. */
export interface CallersAt {
  venue(at: number): Caller;
  reviewer(at: number): Caller;
}

/** The approved offerings, at the beginning of the year: bookings name them. */
export async function fillOfferings(tx: Queryable, callers: CallersAt, yearBegins: number): Promise<void> {
  for (const [index, offering] of approvedOfferings(yearBegins).entries()) {
    const at = yearBegins + index * 20 * 60_000;
    const [upserted] = await upsertAll(tx, callers.venue(at), [offering]);
    await review(tx, callers.reviewer(at + HOUR), upserted?.row.id ?? '', { status: 'approved', note: null }, null);
  }
}

const MAX_WAIT_MS = 3 * HOUR;

/** What is new: it happened in the last weeks of the year. Returns the ids of the approved events. */
export async function fillRecent(
  tx: Queryable,
  callers: CallersAt,
  { yearBegins, until }: { readonly yearBegins: number; readonly until: number },
): Promise<readonly string[]> {
  const approve = (id: string, at: number) =>
    review(tx, callers.reviewer(at), id, { status: 'approved', note: null }, null);
  const experiences: string[] = [];
  for (const [index, event] of demoEvents(until).entries()) {
    const at = until - (40 - index * 5) * DAY;
    const id = await submit(tx, callers.venue(at), event);
    // The last one waits for review.
    if (index === 5) continue;
    const shown = await approve(id, at + HOUR);
    experiences.push(String(shown.experience_id));
  }
  for (const [index, boat] of demoBoats().entries()) {
    const at = until - (10 - index) * DAY;
    const result = await upsertBoats(tx, callers.venue(at), inputOf(boat));
    const { id } = (result.body as { readonly data: { readonly id: string } }).data;
    if (index < 2) await approve(id, at + HOUR);
  }
  const rejectedAt = until - 5 * DAY;
  const [rejected] = await upsertAll(tx, callers.venue(rejectedAt), [REJECTED_OFFERING]);
  const decision = { status: 'rejected', note: REJECTION_NOTE } as const;
  await review(tx, callers.reviewer(rejectedAt + 5 * HOUR), rejected?.row.id ?? '', decision, null);
  await upsertAll(tx, callers.venue(until - MAX_WAIT_MS), [changedOffering(yearBegins)]);
  await upsertAll(tx, callers.venue(until - HOUR), [WAITING_OFFERING]);
  return experiences;
}

async function submit(tx: Queryable, caller: Caller, event: object): Promise<string> {
  const result = await submitExperience(tx, caller, inputOf(event as never));
  return (result.body as { readonly data: { readonly id: string } }).data.id;
}

function inputOf<Body>(body: Body): Input<Body> {
  return { params: {}, query: {}, body, whenNew: [], badTexts: [] };
}
