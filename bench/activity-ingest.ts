// Intake of activity in batches of 1,000 over HTTP, with every figure updated, against a bare COPY of as many events
// into a copy of the event table. This bench is not a promise; its floor limits the cost of exact figures.

import pg from 'pg';
import { insertExperiences } from './activity-rows.ts';
import type { Bench, PreparedBench } from './bench.ts';
import type { BenchFixture } from './fixture.ts';

const VENUES = 4;
const EVENTS_PER_BATCH = 1_000;
const BATCHES = { full: 24, quick: 8 };

export const activityIngest: Bench = {
  name: 'activity-ingest',
  isExtra: true,
  floor: 0.08,
  goal: 0.1,
  unit: 'events/s',
  better: 'more',
  note: 'POST /internal/activity, 1,000 new events a call, four calls at the same time, each for another venue with 20 experiences; most events are of members with earlier events.',
  rounds: { full: 9, quick: 3 },
  sides: { ours: 'batches over HTTP, with their figures', base: 'COPY of the events alone' },
  prepare,
};

/** Events made so far; numbers their ids, members and times. */
let made = 0;

async function prepare(fixture: BenchFixture): Promise<PreparedBench> {
  const server = await fixture.getServer();
  const venues: { id: string; experienceIds: string[] }[] = [];
  for (let i = 0; i < VENUES; i++) {
    const { id } = await fixture.makeVenue(1);
    venues.push({ id, experienceIds: await insertExperiences(fixture, id, 20) });
  }
  const copier = new pg.Client({ connectionString: fixture.url });
  await copier.connect();
  const batches = BATCHES[fixture.isQuick ? 'quick' : 'full'];
  const ours = async (): Promise<number> => {
    const bodiesByVenue = venues.map(({ experienceIds }) =>
      Array.from({ length: batches / VENUES }, () => newBatch(experienceIds)),
    );
    const startedAt = performance.now();
    await Promise.all(bodiesByVenue.map((bodies) => postAll(server.port, fixture.operatorToken, bodies)));
    return (batches * EVENTS_PER_BATCH) / ((performance.now() - startedAt) / 1000);
  };
  const base = async (): Promise<number> => {
    const chunks = Array.from({ length: batches }, (_, i) =>
      newRows(venues[i % VENUES] ?? { id: '', experienceIds: [] }),
    );
    const startedAt = performance.now();
    for (const chunk of chunks) await copyRows(copier, chunk);
    return (batches * EVENTS_PER_BATCH) / ((performance.now() - startedAt) / 1000);
  };
  await fixture.db.query('create unlogged table if not exists activity_copy (like activity)');
  await fixture.db.query('alter table activity_copy set logged');
  await fixture.db.query('create index if not exists activity_copy_by_time on activity_copy (venue_id, at)');
  await ours();
  await base();
  const close = async (): Promise<void> => {
    await copier.end();
    await server.stop();
  };
  return { ours, base, close };
}

const TYPES = ['view', 'view', 'view', 'view', 'view', 'view', 'booking_start', 'save', 'booking', 'check_in'];

/** The JSON body of one batch: 1,000 events within 50 seconds. */
function newBatch(experienceIds: readonly string[]): string {
  const events = Array.from({ length: EVENTS_PER_BATCH }, () => {
    made++;
    return {
      id: `activity-${made}`,
      type: TYPES[made % TYPES.length],
      experience_id: experienceIds[(made * 7) % experienceIds.length],
      member_id: `member-${(made * 7919) % 20_000}`,
      at: new Date(Date.UTC(2025, 5, 1) + Math.floor(made / 20) * 1000).toISOString(),
      mode: 'live',
    };
  });
  return JSON.stringify({ events });
}

async function postAll(port: number, token: string, bodies: readonly string[]): Promise<void> {
  const headers = { authorization: `Bearer ${token}`, 'content-type': 'application/json' };
  for (const body of bodies) {
    const response = await fetch(`http://127.0.0.1:${port}/internal/activity`, { method: 'POST', headers, body });
    const result = (await response.json()) as { accepted?: number };
    if (result.accepted !== EVENTS_PER_BATCH)
      throw new Error(`${result.accepted} of ${EVENTS_PER_BATCH} were accepted: ${response.status}`);
  }
}

function newRows({ id, experienceIds }: { readonly id: string; readonly experienceIds: readonly string[] }): Buffer {
  const lines = Array.from({ length: EVENTS_PER_BATCH }, () => {
    made++;
    const hash = (made * 7919) % 20_000;
    const person = `00000000-0000-4000-8000-${String(hash).padStart(12, '0')}`;
    const at = new Date(Date.UTC(2025, 5, 1) + Math.floor(made / 20) * 1000).toISOString();
    const type = TYPES[made % TYPES.length];
    return `${[id, 5, at, type, experienceIds[(made * 7) % experienceIds.length], 'test', person, 1, 0, 'live'].join('\t')}\n`;
  });
  return Buffer.from(lines.join(''));
}

interface CopyWire {
  query(text: string): void;
  sendCopyFromChunk(chunk: Buffer): void;
  endCopyFrom(): void;
}

/** One COPY FROM STDIN, through the driver's own protocol messages. */
function copyRows(client: pg.Client, chunk: Buffer): Promise<void> {
  return new Promise((resolve, reject) => {
    const copy = {
      submit: (wire: CopyWire) => wire.query('copy activity_copy from stdin'),
      handleCopyInResponse(wire: CopyWire) {
        wire.sendCopyFromChunk(chunk);
        wire.endCopyFrom();
      },
      handleCommandComplete: () => undefined,
      handleReadyForQuery: () => resolve(),
      handleError: (error: Error) => reject(error),
    };
    client.query(copy as never);
  });
}
