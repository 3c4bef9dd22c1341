// The 72 hours of a delivery, on a test clock: when it is attempted, how often, and how it ends.

import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { backoffAfter, nextAttemptAt, readRetryAfter } from '../../src/domain/webhooks/deliveries/schedule.ts';
import { DeliveryFixture } from './delivery-fixture.ts';

const SECOND = 1_000;
const MINUTE = 60 * SECOND;
const HOUR = 60 * MINUTE;
const GAPS = [5 * SECOND, 30 * SECOND, 2 * MINUTE, 10 * MINUTE, 30 * MINUTE, HOUR, 2 * HOUR];

const MAX_TRIES = 100;

/** The times of all attempts, from the first at 0, if each attempt lasts `attemptMs`. */
function allAttempts(random: () => number, attemptMs = 0): number[] {
  const tries = [0];
  while (tries.length < MAX_TRIES) {
    const now = (tries.at(-1) ?? 0) + attemptMs;
    const next = nextAttemptAt({ tries: tries.length, now, endsAt: 72 * HOUR, retryAfter: null, random: random() });
    if (next === null) return tries;
    tries.push(next);
  }
  throw new Error(`the schedule has not ended after ${MAX_TRIES} tries`);
}

describe('the schedule', () => {
  it('has 25 attempts: at once, after 5 s, 30 s, 2 min, 10 min, 30 min, 1 h, 2 h, then every 4 h, the last before 72 h', () => {
    for (const random of [() => 0, () => 0.5, () => 1, Math.random]) {
      const tries = allAttempts(random);
      expect(tries).toHaveLength(25);
      for (const [index, at] of tries.entries()) {
        if (index === 0) continue;
        const gap = at - (tries[index - 1] ?? 0);
        const plannedGap = GAPS[index - 1] ?? 4 * HOUR;
        expect(gap).toBeGreaterThanOrEqual(0.8 * plannedGap - 1);
        expect(gap).toBeLessThanOrEqual(1.2 * plannedGap + 1);
      }
      expect(tries.at(-1)).toBeGreaterThan(71 * HOUR);
      expect(tries.at(-1)).toBeLessThan(72 * HOUR);
    }
  });

  it('has jitter, so that deliveries that failed together are not retried together', () => {
    const firsts = Array.from({ length: 50 }, () => allAttempts(Math.random)[8]);
    expect(new Set(firsts).size).toBeGreaterThan(40);
  });

  it('keeps its gaps if every attempt hangs for ten seconds, and never passes the end', () => {
    const tries = allAttempts(() => 1, 10 * SECOND);
    expect(tries[1]).toBeGreaterThanOrEqual(14 * SECOND);
    expect((tries[2] ?? 0) - (tries[1] ?? 0)).toBeGreaterThanOrEqual(34 * SECOND);
    expect(tries.at(-1)).toBeLessThan(72 * HOUR);
    expect(tries.length).toBeGreaterThanOrEqual(24);
  });

  it('honours Retry-After up to four hours, and not past the end', () => {
    const failedAttempt = { tries: 1, now: 0, endsAt: 72 * HOUR, random: 0.5 };
    expect(nextAttemptAt({ ...failedAttempt, retryAfter: 90 * SECOND })).toBe(90 * SECOND);
    expect(nextAttemptAt({ ...failedAttempt, retryAfter: 1 })).toBe(5 * SECOND);
    expect(nextAttemptAt({ ...failedAttempt, retryAfter: 900 * HOUR })).toBe(4 * HOUR);
    expect(nextAttemptAt({ ...failedAttempt, now: 71.5 * HOUR, retryAfter: HOUR })).toBeNull();
  });

  it('reads Retry-After in seconds and as a date, and nothing else', () => {
    const now = Date.parse('2027-06-02T10:00:00Z');
    expect(readRetryAfter('120', now)).toBe(120 * SECOND);
    expect(readRetryAfter('Wed, 02 Jun 2027 10:01:00 GMT', now)).toBe(MINUTE);
    expect(readRetryAfter('Wed, 02 Jun 2027 09:00:00 GMT', now)).toBe(0);
    for (const invalid of [undefined, '', 'soon', '-5', '1.5', '2027-06-02T10:00:00Z', '99999999999999']) {
      expect(readRetryAfter(invalid, now)).toBeNull();
    }
  });

  it('pauses an endpoint after 20 attempts in a row without an answer, for at most a minute', () => {
    expect([0, 1, 19, 20, 21, 23, 24, 1_000].map(backoffAfter)).toEqual([
      0,
      0,
      0,
      5 * SECOND,
      10 * SECOND,
      40 * SECOND,
      MINUTE,
      MINUTE,
    ]);
  });
});

describe('an endpoint that fails for 72 hours', () => {
  let fixture: DeliveryFixture;
  beforeAll(async () => {
    fixture = await DeliveryFixture.open();
  });
  afterAll(() => fixture.close());

  /** Moves the clock from one due time to the next until nothing is due. Returns the times of the attempts. */
  async function liveThrough(endpointId: string): Promise<number[]> {
    const tries: number[] = [];
    for (let rounds = 0; rounds < 2 * MAX_TRIES; rounds++) {
      const before = fixture.requests.length;
      await fixture.deliver();
      if (fixture.requests.length > before) tries.push(fixture.clock.at);
      const [next] = await fixture.world.db.query<{ at: number | null }>(
        'select (extract(epoch from min(due_at)) * 1000)::float8 as at from deliveries where endpoint_id = $1',
        [endpointId],
      );
      if (next?.at == null) return tries;
      fixture.clock.at = Math.max(fixture.clock.at, Math.ceil(next.at));
    }
    throw new Error(`a delivery is still due after ${2 * MAX_TRIES} rounds`);
  }

  it('is attempted 25 times, then the delivery has failed, the endpoint is disabled and an event is recorded', async () => {
    const venue = await fixture.openVenue();
    const endpoint = await fixture.endpoint(venue, '/dead', ['checkout.created']);
    fixture.respond = (_request, response) => {
      response.statusCode = 503;
      response.end('closed');
    };
    await venue.create();
    fixture.clock.at = Date.now() + SECOND;
    const startedAt = fixture.clock.at;
    const tries = await liveThrough(endpoint.id);
    expect(tries).toHaveLength(25);
    expect(tries[0]).toBe(startedAt);
    expect(tries.at(-1)).toBeGreaterThan(startedAt + 71 * HOUR);
    expect(tries.at(-1)).toBeLessThan(startedAt + 72 * HOUR);
    const [delivery] = await fixture.deliveries(venue, endpoint.id);
    expect(delivery).toMatchObject({ status: 'failed', attempts: 25, last_status: 503, next_attempt_at: null });

    const { json: list } = await venue.get('/v1/webhook_endpoints');
    expect(list.data[0]).toMatchObject({ status: 'disabled', disabled_reason: 'failed_for_72_hours' });
    expect(list.data[0].last_delivery).toMatchObject({ id: delivery.id, status: 'failed' });
    const { json: disabledEvents } = await venue.get('/v1/events?type=webhook_endpoint.disabled');
    expect(disabledEvents.data).toHaveLength(1);
    expect(disabledEvents.data[0]).toMatchObject({
      sequence: 1,
      data: { object: { id: endpoint.id, status: 'disabled' } },
    });
    const [event] = disabledEvents.data;
    expect(
      fixture.world.context.validator.problems('webhook_event', {
        value: event as never,
        text: JSON.stringify(event),
        badTexts: [],
      }),
    ).toEqual([]);
    const audit = await fixture.world.db.query(
      `select action, actor, via, detail from audit_log where venue_id = $1 and subject = $2 and via = 'worker'`,
      [venue.venueId, endpoint.id],
    );
    expect(audit).toEqual([
      {
        action: 'webhook_endpoint.disable',
        actor: 'worker',
        via: 'worker',
        detail: { reason: 'failed_for_72_hours', mode: 'test' },
      },
    ]);
  });

  it('is disabled also if the 72 hours of its delivery end before the last attempt', async () => {
    const venue = await fixture.openVenue();
    const endpoint = await fixture.endpoint(venue, '/expired', ['checkout.created']);
    fixture.respond = (_request, response) => response.writeHead(500).end();
    await venue.create();
    fixture.clock.at = Date.now() + SECOND;
    await fixture.deliver();
    fixture.clock.at += 73 * HOUR;
    await fixture.deliver();
    expect(fixture.requestsTo('/expired')).toHaveLength(1);
    const [delivery] = await fixture.deliveries(venue, endpoint.id);
    expect(delivery).toMatchObject({ status: 'failed', attempts: 1, last_error: 'http_status' });
    const { json: list } = await venue.get('/v1/webhook_endpoints');
    expect(list.data[0]).toMatchObject({ status: 'disabled', disabled_reason: 'failed_for_72_hours' });
    expect((await venue.get('/v1/events?type=webhook_endpoint.disabled')).json.data).toHaveLength(1);
  });

  it('stays active if no attempt was ever made: that is our failure', async () => {
    const venue = await fixture.openVenue();
    const endpoint = await fixture.endpoint(venue, '/untried', ['checkout.created']);
    await venue.create();
    fixture.clock.at = Date.now() + SECOND;
    await fixture.dispatch();
    fixture.clock.at += 73 * HOUR;
    await fixture.deliver();
    const [delivery] = await fixture.deliveries(venue, endpoint.id);
    expect(delivery).toMatchObject({ status: 'failed', attempts: 0, last_error: 'expired' });
    expect((await venue.get('/v1/webhook_endpoints')).json.data[0].status).toBe('active');
  });

  it('stays active if one delivery in the 72 hours succeeded', async () => {
    const venue = await fixture.openVenue();
    const endpoint = await fixture.endpoint(venue, '/poisoned', ['checkout.created']);
    const bad = await venue.create({ description: 'poison' });
    fixture.respond = (request, response) => {
      response.statusCode = request.event.data.object.id === bad.id ? 500 : 200;
      response.end();
    };
    fixture.clock.at = Date.now() + SECOND;
    await fixture.deliver();
    fixture.clock.at += HOUR;
    await venue.create();
    const tries = await liveThrough(endpoint.id);
    expect(tries.length).toBeGreaterThanOrEqual(22);
    const found = await fixture.deliveries(venue, endpoint.id);
    expect(found.map(({ status }) => status)).toEqual(['delivered', 'failed']);
    expect((await venue.get('/v1/webhook_endpoints')).json.data[0].status).toBe('active');
  });
});
