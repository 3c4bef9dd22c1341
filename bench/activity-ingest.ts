// Activity taken in, in batches of 1,000 over HTTP, with every figure kept up to date, against a bare COPY of the same events into
// the table of events alone. The floor is ours: what the exact figures may cost.

import pg from 'pg';
import { loadExperiences } from './activity-rows.ts';
import type { Bench, Prepared } from './bench.ts';
import type { Stage } from './stage.ts';

const VENUES = 4;
const EACH = 1_000;
const BATCHES = { full: 24, quick: 8 };

export const activityIngest: Bench = {
  name: 'activity-ingest',
  isExtra: true,
  floor: 0.08,
  goal: 0.1,
  unit: 'events/s',
  better: 'more',
  note: 'POST /internal/activity, 1,000 new events a call, four calls at once, each for a venue of its own with 20 experiences, by members of whom most came before.',
  rounds: { full: 9, quick: 3 },
  sides: { ours: 'batches over HTTP, with their figures', base: 'COPY of the events alone' },
  prepare,
};

let made = 0;

async function prepare(stage: Stage): Promise<Prepared> {
  const server = await stage.serveOurs();
  const venues: { id: string; things: string[] }[] = [];
  for (let i = 0; i < VENUES; i++) {
    const { id } = await stage.makeVenue(1);
    venues.push({ id, things: await loadExperiences(stage, id, 20) });
  }
  const copier = new pg.Client({ connectionString: stage.url });
  await copier.connect();
  const batches = BATCHES[stage.quick ? 'quick' : 'full'];
  const ours = async (): Promise<number> => {
    const lanes = venues.map(({ things }) => Array.from({ length: batches / VENUES }, () => batchOf(things)));
    const began = performance.now();
    await Promise.all(lanes.map((bodies) => postAll(server.port, stage.operatorToken, bodies)));
    return (batches * EACH) / ((performance.now() - began) / 1000);
  };
  const base = async (): Promise<number> => {
    const chunks = Array.from({ length: batches }, (_, i) => rowsOf(venues[i % VENUES] ?? { id: '', things: [] }));
    const began = performance.now();
    for (const chunk of chunks) await copyIn(copier, chunk);
    return (batches * EACH) / ((performance.now() - began) / 1000);
  };
  await stage.db.query('create unlogged table if not exists activity_copy (like activity)');
  await stage.db.query('alter table activity_copy set logged');
  await stage.db.query('create index if not exists activity_copy_by_time on activity_copy (venue_id, at)');
  await ours();
  await base();
  const close = async (): Promise<void> => {
    await copier.end();
    await server.stop();
  };
  return { ours, base, close };
}

const TYPES = ['view', 'view', 'view', 'view', 'view', 'view', 'booking_start', 'save', 'booking', 'check_in'];

/** A minute of an evening, for a thousand members. */
function batchOf(things: readonly string[]): string {
  const events = Array.from({ length: EACH }, () => {
    made++;
    return {
      id: `activity-${made}`,
      type: TYPES[made % TYPES.length],
      experience_id: things[(made * 7) % things.length],
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
    const answer = await fetch(`http://127.0.0.1:${port}/internal/activity`, { method: 'POST', headers, body });
    const told = (await answer.json()) as { accepted?: number };
    if (told.accepted !== EACH) throw new Error(`${told.accepted} of ${EACH} were accepted: ${answer.status}`);
  }
}

function rowsOf({ id, things }: { readonly id: string; readonly things: readonly string[] }): Buffer {
  const lines = Array.from({ length: EACH }, () => {
    made++;
    const hash = (made * 7919) % 20_000;
    const person = `00000000-0000-4000-8000-${String(hash).padStart(12, '0')}`;
    const at = new Date(Date.UTC(2025, 5, 1) + Math.floor(made / 20) * 1000).toISOString();
    const type = TYPES[made % TYPES.length];
    return `${[id, 5, at, type, things[(made * 7) % things.length], 'test', person, 1, 0, 'live'].join('\t')}\n`;
  });
  return Buffer.from(lines.join(''));
}

interface CopyWire {
  query(text: string): void;
  sendCopyFromChunk(chunk: Buffer): void;
  endCopyFrom(): void;
}

/** One COPY FROM STDIN, by the driver's own messages. */
function copyIn(client: pg.Client, chunk: Buffer): Promise<void> {
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
