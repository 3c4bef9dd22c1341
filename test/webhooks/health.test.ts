// The health of an endpoint, which the console draws: every delivery counts once, for the hour of its event.

import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { callConsole, createAccount, createSession } from '../support/console-client.ts';
import type { Json, TestVenue } from '../support/test-venue.ts';
import { DeliveryFixture } from './delivery-fixture.ts';

let fixture: DeliveryFixture;
beforeAll(async () => {
  fixture = await DeliveryFixture.open();
});
afterAll(() => fixture.close());
beforeEach(() => {
  fixture.respond = (_request, response) => response.end('ok');
  fixture.clock.at = Date.now();
});

async function health(venue: TestVenue, endpointId: string): Promise<Json> {
  const { context } = fixture.world;
  const email = `${context.ids.uuid()}@harbor.example`;
  const account = await createAccount(context, email, [[venue.venueId, 'viewer']]);
  const { token } = await createSession(context, account);
  const path = `/console/api/webhook_endpoints/${endpointId}/health`;
  const answer = await callConsole(fixture.world, 'GET', path, { token, venue: venue.venueId });
  expect(answer.status, answer.text).toBe(200);
  return answer.json;
}

describe('the health of an endpoint', () => {
  it('counts first tries, later tries, waiting and failed deliveries, and names the common failure', async () => {
    const venue = await fixture.openVenue();
    const { id } = await fixture.endpoint(venue, '/health', ['checkout.created']);
    await venue.create();
    await fixture.deliver();
    // Refused once, then delivered.
    fixture.respond = (_request, response) => response.writeHead(503).end();
    await venue.create();
    await fixture.deliver();
    fixture.respond = (_request, response) => response.end('ok');
    fixture.clock.at += 60_000;
    await fixture.deliver();
    // Refused, and waiting for a retry.
    fixture.respond = (_request, response) => response.writeHead(503).end();
    await venue.create();
    await fixture.deliver();
    const found = await health(venue, id);
    expect(found).toMatchObject({
      first_try: 1,
      late: 1,
      waiting: 1,
      failed: 0,
      retrying: 1,
      is_complete: true,
      common_failure: { status: 503, error: 'http_status', count: 2 },
    });
    expect(found.median_ms).toBeGreaterThanOrEqual(0);
    expect(found.oldest_waiting_at).not.toBeNull();
    expect(found.hours).toHaveLength(48);
    expect(Date.parse(found.hours[0].at)).toBe(Date.parse(found.from));
    const counted = found.hours.map((hour: Json) => hour.first_try + hour.late + hour.waiting + hour.failed);
    expect(counted.reduce((sum: number, one: number) => sum + one, 0)).toBe(3);
  });

  it('puts a delivery into the hour of its event, and leaves older ones out', async () => {
    const venue = await fixture.openVenue();
    const { id } = await fixture.endpoint(venue, '/older', ['checkout.created']);
    for (const hours of [1, 3, 60]) {
      await venue.create();
      await fixture.deliver();
      await fixture.world.db.query(
        `update deliveries set created_at = (created_at at time zone 'UTC' - $2 * interval '1 hour') at time zone 'UTC'
         where endpoint_id = $1 and created_at > now() - interval '50 minutes'`,
        [id, hours],
      );
    }
    const { hours, first_try } = await health(venue, id);
    expect(first_try).toBe(2);
    const at = hours.flatMap((hour: Json, i: number) => (hour.first_try > 0 ? [47 - i] : []));
    // An event at the edge of an hour may count for the hour before.
    expect(at).toHaveLength(2);
    expect(at[0] - at[1]).toBe(2);
  });

  it('is empty for an endpoint that was sent nothing', async () => {
    const venue = await fixture.openVenue();
    const { id } = await fixture.endpoint(venue, '/silent');
    expect(await health(venue, id)).toMatchObject({
      first_try: 0,
      median_ms: null,
      slow_ms: null,
      common_failure: null,
    });
  });
});
