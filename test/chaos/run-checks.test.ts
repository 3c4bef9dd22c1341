// Tests of the checks of a run (internal errors, coverage, overdue work, waits for a dead endpoint, logs), of the
// receivers' behaviors, and of the plan: a long run begins with every kind of action.

import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { request } from 'node:https';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { SeededRandom } from '../support/seeded-random.ts';
import type { Found, Violation } from '../support/violation.ts';
import { checkLogs } from './check-logs.ts';
import { checkWaits } from './check-waits.ts';
import { kindNames, makePlan } from './plan.ts';
import { type ReceiverBehavior, Receivers } from './receivers.ts';
import type { OurRecords } from './records.ts';
import { checkNothingOverdue } from './settle.ts';
import { checkCoverage, checkInternalErrors } from './summary.ts';
import type { TimelineEvent } from './timeline.ts';

const folders: string[] = [];
afterAll(() => {
  for (const folder of folders) rmSync(folder, { recursive: true, force: true });
});

function recordViolations(): { readonly found: Found; readonly rules: () => string[]; readonly all: Violation[] } {
  const all: Violation[] = [];
  return {
    all,
    found: (rule, subject, what) => void all.push({ rule, subject, what }),
    rules: () => [...new Set(all.map(({ rule }) => rule))],
  };
}

describe('a response with 500', () => {
  const violations = (internalErrors: string[], times = internalErrors.length) =>
    checkInternalErrors({ internalErrors, failures: new Map([['500 internal_error', times]]) });

  it('is a violation, even if the client did not record its text', () => {
    expect(violations(['GET /v1/checkouts: {"error":{"code":"internal_error"}}'])).toHaveLength(1);
    expect(violations([], 3)).toHaveLength(1);
  });

  it('is no violation if it is an injected fault of the processor', () => {
    const fault = 'POST /sandbox/…/confirm: An unknown error occurred (a fault that was switched on).';
    expect(violations([fault], 0)).toEqual([]);
  });
});

describe('a run of five minutes', () => {
  const KIND_NAMES = kindNames(false);
  const ended = (status: string, refundedAmount = 0) => ({ status, refundedAmount });
  const hardMovements = [
    { kind: 'reversal', status: 'owed', lastError: 'balance_insufficient' },
    { kind: 'refund', status: 'failed', lastError: 'expired_or_canceled_card' },
  ];
  const ours = (checkouts: object[], movements: object[] = hardMovements) =>
    ({ checkouts, movements }) as unknown as OurRecords;
  const everything: TimelineEvent[] = KIND_NAMES.map((detail) => ({ at: 1, who: 'nemesis', what: 'done', detail }));
  const enough = ours([ended('completed', 10), ended('expired'), ended('canceled')]);
  const missing = (timeline: readonly TimelineEvent[], records: OurRecords, standby = false, minutes = 5) =>
    checkCoverage({ minutes, timeline, hasStandby: standby, hasPatroni: false, ours: records }).map(({ what }) => what);

  it('passes if it did every action and reached every outcome', () => {
    expect(missing(everything, enough)).toEqual([]);
  });

  it('fails without an action of each kind, an outcome of each kind or a refund', () => {
    expect(missing(everything.slice(1), enough)).toEqual([`nemesis: ${KIND_NAMES[0]}`]);
    expect(missing(everything, ours([]))).toHaveLength(4);
    expect(missing(everything, ours([ended('completed'), ended('expired'), ended('canceled')]))).toEqual([
      'a checkout that was refunded',
    ]);
  });

  it('fails without a reversal that was refused, or without a refund that failed later', () => {
    const done = [ended('completed', 10), ended('expired'), ended('canceled')];
    const notSent = { kind: 'reversal', status: 'owed', lastError: null };
    expect(missing(everything, ours(done, [notSent]))).toEqual([
      'a reversal that was refused',
      'a refund that failed later',
    ]);
  });

  it('pays accounts out, and has the processor refuse captures and movements for now', () => {
    expect(KIND_NAMES).toEqual(expect.arrayContaining(['pay the accounts out', 'refusals of the processor']));
  });

  it('with a standby fails without a promotion', () => {
    expect(missing(everything, enough, true)).toEqual(['nemesis: promote the standby']);
    const promoted: TimelineEvent = { at: 1, who: 'postgres', what: 'standby' };
    expect(missing([...everything, promoted], enough, true)).toEqual([]);
  });

  it('begins with one action of each kind, in an order drawn from the seed', () => {
    const kinds = (seed: number) => makePlan(seed, 300, { everySeconds: 3, hasPatroni: false }).map(({ kind }) => kind);
    const opening = kinds(1).slice(0, KIND_NAMES.length);
    expect([...opening].sort()).toEqual([...KIND_NAMES].sort());
    expect(kinds(1)).toEqual(kinds(1));
    expect(kinds(2).slice(0, KIND_NAMES.length)).not.toEqual(opening);
    // However rare actions are.
    expect(new Set(makePlan(3, 300, { everySeconds: 600, hasPatroni: false }).map(({ kind }) => kind)).size).toBe(
      KIND_NAMES.length,
    );
  });

  it('that is shorter always passes', () => {
    expect(missing([], ours([]), true, 1)).toEqual([]);
  });
});

describe('unfinished work after the nemesis', () => {
  it('is a violation after longer than a lease', () => {
    const { found, rules } = recordViolations();
    checkNothingOverdue(60_000, 1, found);
    checkNothingOverdue(70_000, 0, found);
    expect(rules()).toEqual([]);
    checkNothingOverdue(70_000, 1, found);
    expect(rules()).toEqual(['workers finish all work']);
  });
});

describe('an event', () => {
  const arrival = { eventId: 'evt_1', endpointId: 'whe_1', createdAt: 1_000, firstAt: 200_000 };
  const waits = (...timeline: TimelineEvent[]) => {
    const { found, rules } = recordViolations();
    checkWaits([arrival], timeline, found);
    return rules();
  };

  it('that waits without a disturbance is a violation', () => {
    expect(waits()).toEqual(['a dead endpoint delays no other endpoint']);
    expect(waits({ at: 150_000, who: 'api-1', what: 'kill' })).toEqual(['a dead endpoint delays no other endpoint']);
    expect(waits({ at: 250_000, who: 'worker-1', what: 'kill' })).toEqual(['a dead endpoint delays no other endpoint']);
  });

  it('may wait for a worker, PostgreSQL or the receivers', () => {
    expect(waits({ at: 150_000, who: 'worker-1', what: 'ready' })).toEqual([]);
    expect(waits({ at: 150_000, who: 'receivers', what: 'faults over' })).toEqual([]);
  });
});

describe('logs', () => {
  const KEY = 'secret-token-of-a-guest';
  const violatedRules = async (line: string) => {
    const folder = mkdtempSync(join(tmpdir(), 'everyshare-lines-'));
    folders.push(folder);
    mkdirSync(join(folder, 'logs'));
    writeFileSync(join(folder, 'logs', 'api-1.log'), line);
    const { found, rules, all } = recordViolations();
    const secrets = { test: 'the processor test secret', live: 'the processor live secret' };
    await checkLogs({ folder, scratch: folder, processorSecrets: secrets, sharedEnv: {} }, [KEY], found);
    expect(JSON.stringify(all)).not.toContain(KEY);
    return rules();
  };

  it('may show that another process exceeded its shutdown time', async () => {
    expect(
      await violatedRules(
        '{"pid":7,"msg":"the process has stopped"}\n{"pid":8,"msg":"the process did not stop in time and exits"}\n',
      ),
    ).toEqual([]);
  });

  it('may show requests', async () => {
    expect(await violatedRules('{"level":"info","msg":"request","status":503}\n')).toEqual([]);
  });

  it.each([
    ['logs contain no secrets', `{"level":"info","token":"${KEY}"}\n`],
    ['logs contain no secrets', '{"level":"info","msg":"+15550100042"}\n'],
    ['logs contain no secrets', '{"level":"warn","msg":"the processor live secret"}\n'],
    [
      'no request ends with internal_error',
      '{"level":"error","operation":"processorNotice","code":"internal_error","msg":"the server could not answer a request"}\n',
    ],
    ['no process crashes', "node:events:485\n      throw er; // Unhandled 'error' event\n"],
    [
      'a stopped process exits',
      '{"pid":7,"msg":"the process has stopped"}\n{"level":"error","pid":7,"msg":"the process did not stop in time and exits"}\n',
    ],
    ['logs contain no secrets', ''],
  ])('are checked for “%s”', async (rule, line) => {
    expect(await violatedRules(line)).toEqual([rule]);
  });
});

describe('the receivers', () => {
  it.each<readonly [ReceiverBehavior, number | null]>([
    ['refuse', 503],
    ['redirect', 3],
    ['garbage', null],
    ['drip', 200],
  ])('with the behavior %s answer so', { tags: ['slow'] }, async (behavior, expected) => {
    const receivers = new Receivers(new SeededRandom(1, 'partner'));
    const address = await receivers.open();
    receivers.behavior = behavior;
    const status = await post(`${address}/whe_1`, '{"id":"evt_1"}');
    expect(expected === 3 ? Math.floor((status ?? 0) / 100) : status).toBe(expected);
    expect(receivers.firstAt('/whe_1', 'evt_1')).not.toBeNull();
    // The missing signature is recorded too.
    expect(receivers.problems).toHaveLength(1);
    await receivers.close();
  });
});

/** The status of the response; null if it was not HTTP. */
async function post(url: string, body: string): Promise<number | null> {
  return new Promise((resolve) => {
    const sent = request(url, { method: 'POST', rejectUnauthorized: false }, (response) => {
      response.resume().once('end', () => resolve(response.statusCode ?? null));
    });
    sent.once('error', () => resolve(null));
    sent.end(body);
  });
}
