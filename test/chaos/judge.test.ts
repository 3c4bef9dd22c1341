// The judge is judged: what clients were told, a run that shows nothing, events that wait for a dead endpoint, and logs that tell too
// much are each seen. And the plan of a long run has everything in it.

import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { request } from 'node:https';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { SeededRandom } from '../support/seeded-random.ts';
import type { Found, Violation } from '../support/violation.ts';
import type { OurBooks } from './books.ts';
import { checkLines } from './check-lines.ts';
import { checkWaits } from './check-waits.ts';
import { KIND_NAMES, makePlan } from './plan.ts';
import { type Mood, Receivers } from './receivers.ts';
import { checkNothingOverdue } from './settle.ts';
import { checkMistakes, checkWork } from './summary.ts';
import type { Happening } from './timeline.ts';

const folders: string[] = [];
afterAll(() => {
  for (const folder of folders) rmSync(folder, { recursive: true, force: true });
});

function listening(): { readonly found: Found; readonly rules: () => string[]; readonly all: Violation[] } {
  const all: Violation[] = [];
  return {
    all,
    found: (rule, subject, what) => void all.push({ rule, subject, what }),
    rules: () => [...new Set(all.map(({ rule }) => rule))],
  };
}

describe('an answer of 500', () => {
  const response = (mistakes: string[], times = mistakes.length) =>
    checkMistakes({ mistakes, troubles: new Map([['500 internal_error', times]]) });

  it('is a violation, also where clients did not write every one of them down', () => {
    expect(response(['GET /v1/checkouts: {"error":{"code":"internal_error"}}'])).toHaveLength(1);
    expect(response([], 3)).toHaveLength(1);
  });

  it('is none where the processor was told to give it', () => {
    const fault = 'POST /sandbox/…/confirm: An unknown error occurred (a fault that was switched on).';
    expect(response([fault], 0)).toEqual([]);
  });
});

describe('a run of five minutes', () => {
  const ended = (status: string, refundedAmount = 0) => ({ status, refundedAmount });
  const ours = (checkouts: object[]) => ({ checkouts }) as unknown as OurBooks;
  const everything: Happening[] = KIND_NAMES.map((detail) => ({ at: 1, who: 'nemesis', what: 'done', detail }));
  const enough = ours([ended('completed', 10), ended('expired'), ended('canceled')]);
  const missing = (happenings: readonly Happening[], books: OurBooks, standby = false, minutes = 5) =>
    checkWork({ minutes, happenings, standby, ours: books }).map(({ what }) => what);

  it('that did everything and got something of each done shows something', () => {
    expect(missing(everything, enough)).toEqual([]);
  });

  it('shows nothing without a deed of each kind, an end of each kind and a refund', () => {
    expect(missing(everything.slice(1), enough)).toEqual([`nemesis: ${KIND_NAMES[0]}`]);
    expect(missing(everything, ours([]))).toHaveLength(4);
    expect(missing(everything, ours([ended('completed'), ended('expired'), ended('canceled')]))).toEqual([
      'a checkout that was refunded',
    ]);
  });

  it('with a standby shows nothing without a promotion', () => {
    expect(missing(everything, enough, true)).toEqual(['nemesis: promote the standby']);
    const promoted: Happening = { at: 1, who: 'postgres', what: 'standby' };
    expect(missing([...everything, promoted], enough, true)).toEqual([]);
  });

  it('begins with one deed of each kind, in an order of the seed', () => {
    const kinds = (seed: number) => makePlan(seed, 300, { everySeconds: 3 }).map(({ kind }) => kind);
    const opening = kinds(1).slice(0, KIND_NAMES.length);
    expect([...opening].sort()).toEqual([...KIND_NAMES].sort());
    expect(kinds(1)).toEqual(kinds(1));
    expect(kinds(2).slice(0, KIND_NAMES.length)).not.toEqual(opening);
    // However rare deeds are.
    expect(new Set(makePlan(3, 300, { everySeconds: 600 }).map(({ kind }) => kind)).size).toBe(KIND_NAMES.length);
  });

  it('that is shorter is not held to it', () => {
    expect(missing([], ours([]), true, 1)).toEqual([]);
  });
});

describe('what is still under way in quiet', () => {
  it('is a violation once everybody has waited for longer than a lease', () => {
    const { found, rules } = listening();
    checkNothingOverdue(60_000, 1, found);
    checkNothingOverdue(70_000, 0, found);
    expect(rules()).toEqual([]);
    checkNothingOverdue(70_000, 1, found);
    expect(rules()).toEqual(['everything ends by itself']);
  });
});

describe('an event', () => {
  const arrival = { eventId: 'evt_1', endpointId: 'whe_1', createdAt: 1_000, firstAt: 200_000 };
  const waits = (...happenings: Happening[]) => {
    const { found, rules } = listening();
    checkWaits([arrival], happenings, found);
    return rules();
  };

  it('that waits with nothing in the way is a violation', () => {
    expect(waits()).toEqual(['a dead endpoint slows nobody']);
    expect(waits({ at: 150_000, who: 'api-1', what: 'kill' })).toEqual(['a dead endpoint slows nobody']);
    expect(waits({ at: 250_000, who: 'worker-1', what: 'kill' })).toEqual(['a dead endpoint slows nobody']);
  });

  it('may wait for a worker, PostgreSQL or the receivers', () => {
    expect(waits({ at: 150_000, who: 'worker-1', what: 'ready' })).toEqual([]);
    expect(waits({ at: 150_000, who: 'receivers', what: 'faults over' })).toEqual([]);
  });
});

describe('logs', () => {
  const KEY = 'of-a-guest-that-nobody-else-knows';
  const response = async (line: string) => {
    const folder = mkdtempSync(join(tmpdir(), 'everyshare-lines-'));
    folders.push(folder);
    mkdirSync(join(folder, 'logs'));
    writeFileSync(join(folder, 'logs', 'api-1.log'), line);
    const { found, rules, all } = listening();
    const secrets = { test: 'the processor test secret', live: 'the processor live secret' };
    await checkLines({ folder, scratch: folder, processorSecrets: secrets, sharedEnv: {} }, [KEY], found);
    expect(JSON.stringify(all)).not.toContain(KEY);
    return rules();
  };

  it('of a process that had to be ended hard, because the database was away, are fine', async () => {
    expect(
      await response(
        '{"pid":7,"msg":"the process has stopped"}\n{"pid":8,"msg":"the process did not stop in time and exits"}\n',
      ),
    ).toEqual([]);
  });

  it('that tell of requests alone are fine', async () => {
    expect(await response('{"level":"info","msg":"request","status":503}\n')).toEqual([]);
  });

  it.each([
    ['logs give nothing away', `{"level":"info","token":"${KEY}"}\n`],
    ['logs give nothing away', '{"level":"info","msg":"+15550100042"}\n'],
    ['logs give nothing away', '{"level":"warn","msg":"the processor live secret"}\n'],
    [
      'nobody is told internal_error',
      '{"level":"error","operation":"processorNotice","code":"internal_error","msg":"the server could not answer a request"}\n',
    ],
    ['no process crashes', "node:events:485\n      throw er; // Unhandled 'error' event\n"],
    [
      'whoever has stopped ends',
      '{"pid":7,"msg":"the process has stopped"}\n{"level":"error","pid":7,"msg":"the process did not stop in time and exits"}\n',
    ],
    ['logs give nothing away', ''],
  ])('are seen when this is broken: %s', async (rule, line) => {
    expect(await response(line)).toEqual([rule]);
  });
});

describe('the receivers', () => {
  it.each<readonly [Mood, number | null]>([
    ['refuse', 503],
    ['redirect', 3],
    ['garbage', null],
    ['drip', 200],
  ])('in the mood to %s do so', { tags: ['slow'] }, async (mood, expected) => {
    const receivers = new Receivers(new SeededRandom(1, 'partner'));
    const address = await receivers.open();
    receivers.mood = mood;
    const status = await post(`${address}/whe_1`, '{"id":"evt_1"}');
    expect(expected === 3 ? Math.floor((status ?? 0) / 100) : status).toBe(expected);
    expect(receivers.firstAt('/whe_1', 'evt_1')).not.toBeNull();
    // It was not signed, which is seen as well.
    expect(receivers.wrong).toHaveLength(1);
    await receivers.close();
  });
});

/** The status; null: what came was no HTTP. */
async function post(url: string, body: string): Promise<number | null> {
  return new Promise((resolve) => {
    const sent = request(url, { method: 'POST', rejectUnauthorized: false }, (response) => {
      response.resume().once('end', () => resolve(response.statusCode ?? null));
    });
    sent.once('error', () => resolve(null));
    sent.end(body);
  });
}
