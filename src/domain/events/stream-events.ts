// GET /v1/events/stream: the events of the caller's venue and mode from now on, or from the event that Last-Event-ID names.
// No event is left out. Events of the minute before that id may come again: one of them can have been committed after it,
// and another server may have sent them in another order.

import { invalid } from '../../base/errors.ts';
import type { EventSource, ServerSentEvent, StreamInput } from '../../base/operation.ts';
import type { Caller } from '../keys/caller.ts';
import type { EventFeed, EventFeeds, FeedServices } from './event-feeds.ts';
import { MAX_COMMIT_DELAY_MS } from './follow-events.ts';
import { type EventView, eventsSince, findEventView, listEventViews } from './queries.ts';
import { openPlace } from './stream-place.ts';
import { recordStreamedCompletion } from './streamed-completion-queries.ts';

export interface StreamServices extends FeedServices {
  readonly eventFeeds: EventFeeds;
}

export async function streamEvents(
  services: StreamServices,
  caller: Caller,
  { lastEventId }: StreamInput,
  signal: AbortSignal,
): Promise<EventSource> {
  const last = lastEventId === null ? null : await requireEvent(services, caller, lastEventId);
  const place = await openPlace(services, caller);
  try {
    const { feed, release } = await services.eventFeeds.use(caller.venue.id, caller.mode);
    const end = (): Promise<void> => {
      release();
      return place.free();
    };
    return read(services, caller, { feed, end, last, signal: AbortSignal.any([signal, place.lost]) });
  } catch (error) {
    await place.free();
    throw error;
  }
}

async function requireEvent({ db }: StreamServices, { venue, mode }: Caller, id: string): Promise<EventView> {
  const found = await findEventView(db, venue.id, mode, id);
  if (found !== null) return found;
  const [newest] = await listEventViews(db, venue.id, mode, { type: null, subject: null, before: null, limit: 1 });
  throw invalid([
    {
      code: 'invalid_value',
      field: '/header/Last-Event-ID',
      message:
        'There is no event with this id: send the id of the last event that you received, or leave the header out.',
      expected: 'the id of an event of this venue and mode',
      example_fix: newest?.id ?? 'evt_01jz3k8q7v5m2n9t4w6x8y0abc',
    },
  ]);
}

interface Reading {
  readonly feed: EventFeed;
  readonly end: () => Promise<void>;
  readonly last: EventView | null;
  readonly signal: AbortSignal;
}

async function* read(
  services: StreamServices,
  caller: Caller,
  { feed, end, last, signal }: Reading,
): AsyncGenerator<readonly ServerSentEvent[]> {
  try {
    const sent = new Set(last === null ? [] : [last.id]);
    const kept = last === null ? feed.end : feed.positionAfter(last);
    let position = kept ?? feed.end;
    // What a page of the console reads says nothing about the partner's own program.
    let isRecorded = caller.key === null;
    if (kept === null && last !== null)
      yield* readLog(services, caller, { last, until: feed.newestTime, sent, signal });
    while (!signal.aborted && !feed.isClosed) {
      const events = feed.from(position);
      // The reader is too slow: it resumes from the log when it comes back.
      if (events === null) return;
      position += events.length;
      const unsent = events.filter(({ id }) => !sent.delete(id));
      if (unsent.length > 0) yield unsent.map(asMessage);
      else await feed.reaches(position, signal);
      const completion = isRecorded ? undefined : unsent.find(({ type }) => type === 'checkout.completed');
      if (completion === undefined) continue;
      isRecorded = true;
      await recordCompletion(services, caller, completion);
    }
  } catch (error) {
    services.log.warn({ err: error }, 'a stream could not read the event log: its client resumes it');
  } finally {
    await end();
  }
}

/** For the console's first steps. Without it the stream goes on. */
async function recordCompletion(
  { db, clock, log }: StreamServices,
  { venue }: Caller,
  { id }: EventView,
): Promise<void> {
  try {
    await recordStreamedCompletion(db, venue.id, id, clock.now());
  } catch (error) {
    log.warn({ err: error, event: id }, 'the first completion of a stream could not be recorded');
  }
}

interface LogReading {
  readonly last: EventView;
  /** The feed has what is later. */
  readonly until: number;
  /** Gets the events that the feed may have as well. */
  readonly sent: Set<string>;
  readonly signal: AbortSignal;
}

/** From the log itself, up to what the feed has: on a busy venue the log has no end. */
async function* readLog(
  { db, clock }: StreamServices,
  { venue, mode }: Caller,
  { last, until, sent, signal }: LogReading,
): AsyncGenerator<readonly ServerSentEvent[]> {
  const openedAt = clock.now();
  let since = new Date(Date.parse(last.createdAt) - MAX_COMMIT_DELAY_MS).toISOString();
  let before: readonly string[] = [last.id];
  while (!signal.aborted) {
    const page = await eventsSince(db, venue.id, mode, since, before);
    for (const { id, createdAt } of page) if (Date.parse(createdAt) >= openedAt - 2 * MAX_COMMIT_DELAY_MS) sent.add(id);
    const newest = page.at(-1);
    if (newest === undefined) return;
    yield page.map(asMessage);
    if (Date.parse(newest.createdAt) > until) return;
    since = newest.createdAt;
    before = [last.id, newest.id];
  }
}

const asMessage = ({ id, type, json }: EventView): ServerSentEvent => ({ id, event: type, data: json });
