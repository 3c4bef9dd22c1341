// `everyshare listen` and `everyshare trigger`: a developer gets real, signed test events at a local address.

import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import Stripe from 'stripe';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { commandLine } from '../support/run-command.ts';
import { openTestWorld, type TestWorld } from '../support/test-world.ts';
import { waitFor } from '../support/wait-for.ts';

let world: TestWorld;
let venueId: string;
const posts: { path: string; body: string; signature: string }[] = [];
const receiver = createServer((request, response) => {
  const chunks: Buffer[] = [];
  request.on('data', (chunk: Buffer) => chunks.push(chunk));
  request.on('end', () => {
    const body = Buffer.concat(chunks).toString();
    posts.push({ path: request.url ?? '', body, signature: String(request.headers['service-signature']) });
    response.statusCode = 202;
    response.end();
  });
});
const address = (): string => `http://127.0.0.1:${(receiver.address() as AddressInfo).port}/local`;

beforeAll(async () => {
  world = await openTestWorld();
  venueId = (await world.venue({ sandbox: true })).venue.id;
  await world.venue();
  await new Promise<void>((resolve) => receiver.listen(0, '127.0.0.1', resolve));
});
afterAll(async () => {
  await new Promise((resolve) => receiver.close(resolve));
  await world.close();
});
beforeEach(() => {
  posts.length = 0;
});

interface TriggerOutput {
  readonly event: { id: string; type: string; sequence: number; data: { object: { id: string; status: string } } };
}
interface ListenOutput {
  readonly venue: string;
  readonly secret: string;
  readonly forwarded: readonly { id: string; type: string; result: string }[];
}

describe('everyshare trigger', () => {
  it.each([
    ['checkout.created', 'open', 1],
    ['checkout.collecting', 'collecting', 2],
    ['share.held', 'collecting', 3],
    ['checkout.funded', 'funded', 7],
    ['checkout.completed', 'completed', 8],
    ['checkout.expired', 'expired', 2],
    ['checkout.canceled', 'canceled', 2],
    ['refund.created', 'completed', 9],
    ['offering.approved', 'approved', 1],
    ['offering.rejected', 'rejected', 1],
  ])('%s brings a real object of the first sandbox venue to %s', async (type, status, sequence) => {
    const { event } = await commandLine(world).json<TriggerOutput>('trigger', type);
    expect(event).toMatchObject({ type, sequence, mode: 'test', data: { object: { status } } });
    const rows = await world.db.query('select venue_id from events where event_id = $1', [event.id]);
    expect(rows).toEqual([{ venue_id: venueId }]);
  });

  it('refuses an unknown event before it opens the database', async () => {
    const line = await commandLine(null).line(2, 'trigger', 'checkout.complete');
    expect(line).toContain('there is no event "checkout.complete" to trigger: there are checkout.created,');
  });
});

describe('everyshare listen', () => {
  it('forwards events from its start on, signed with a stable secret', async () => {
    await commandLine(world).json('trigger', 'checkout.created');
    const stderr: string[] = [];
    const listen = async (count: number, ...more: string[]): Promise<ListenOutput> => {
      const output = await commandLine(world).run(
        ...['listen', '--forward-to', address(), '--count', String(count), '--json', ...more],
      );
      stderr.push(output.err);
      return JSON.parse(output.out) as ListenOutput;
    };
    const createAndRun = async (type: string) => {
      // Both commands would share the captured streams of this process, so the events are made through the API.
      const { key } = await world.key(venueId);
      const body = {
        amount: 24_000,
        currency: 'usd',
        party_size: 2,
        pay_by: new Date(Date.now() + 86_400_000).toISOString(),
        description: 'Cabana',
        return_url: 'https://harbor.example/x',
        external_booking_id: `${type}-${Date.now()}`,
      };
      await world.db.query(`update venues set origins = '{https://harbor.example}' where venue_id = $1`, [venueId]);
      const { json } = await world.call('POST', '/v1/checkouts', { key, body });
      await world.call('POST', `/v1/test_helpers/checkouts/${json.id}/${type}`, { key });
      return json.id as string;
    };
    const readCount = () => world.statements.filter((text) => text.includes('event_id <> all')).length;
    const before = readCount();
    const listening = listen(2);
    await expect.poll(readCount, { timeout: 60_000 }).toBeGreaterThan(before + 1);
    await waitFor('two events are forwarded', async () => {
      if (posts.length === 0) await createAndRun('expire');
      return stderr.length > 0 || posts.length >= 2;
    });
    const first = await listening;
    expect(first.venue).toBe(venueId);
    expect(first.forwarded.map(({ type, result }) => [type, result])).toEqual([
      ['checkout.created', '202'],
      ['checkout.expired', '202'],
    ]);
    const { webhooks } = new Stripe('sk_test_unused');
    for (const { body, signature, path } of posts.slice(0, 2)) {
      expect(path).toBe('/local');
      webhooks.constructEvent(body, signature, first.secret);
    }
    expect(posts[0]?.body).toBe(
      (
        await world.db.query<{ json: string }>(
          'select event_object(e.event_id, e.type, e.mode, e.created_at, e.sequence, e.data) as json from events e where event_id = $1',
          [first.forwarded[0]?.id],
        )
      )[0]?.json,
    );
    expect(stderr[0]).toContain(`signing secret ${first.secret}`);
    const second = listen(1, '--event', 'checkout.expired');
    await waitFor('the second command ends', async () => {
      await createAndRun('expire');
      return stderr.length >= 2;
    });
    expect((await second).secret).toBe(first.secret);
    expect((await second).forwarded[0]?.type).toBe('checkout.expired');
  });

  it('requires a valid address before it opens the database', async () => {
    expect(await commandLine(null).line(2, 'listen')).toContain('--forward-to is missing');
    expect(await commandLine(null).line(2, 'listen', '--forward-to', 'ftp://x')).toContain('give an address such as');
    const line = await commandLine(null).line(2, 'listen', '--forward-to', address(), '--count', '0');
    expect(line).toContain('--count is "0"');
  });
});
