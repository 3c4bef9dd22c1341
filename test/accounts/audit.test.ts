// The audit log of a venue in the console: who did what, by name, newest first, as a list and as CSV.

import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { audit } from '../../src/domain/venues/audit.ts';
import { callConsole, createAccount, createSession } from '../support/console-client.ts';
import { commandLine } from '../support/run-command.ts';
import type { Json } from '../support/test-venue.ts';
import { type HttpResponse, openTestWorld, type TestWorld } from '../support/test-world.ts';

let world: TestWorld;
beforeAll(async () => {
  world = await openTestWorld({ env: { TRUSTED_PROXIES: '127.0.0.1' } });
});
afterAll(() => world.close());

interface Member {
  readonly id: string;
  readonly venue: string;
  call(method: string, path: string, body?: object, headers?: Record<string, string>): Promise<HttpResponse>;
}

let people = 0;

async function member(name: string | null = null): Promise<Member> {
  const { venue } = await world.venue();
  const id = await createAccount(world.context, `audit${people++}@team.example`, [[venue.id, 'owner']]);
  await world.db.query('update accounts set name = $2 where account_id = $1', [id, name]);
  const { token } = await createSession(world.context, id);
  return {
    id,
    venue: venue.id,
    call: (method, path, body, headers = {}) =>
      callConsole(world, method, path, { token, venue: venue.id, headers, ...(body === undefined ? {} : { body }) }),
  };
}

async function entries(by: Member, query = ''): Promise<Json[]> {
  const { status, json, text } = await by.call('GET', `/console/api/audit${query}`);
  expect(status, text).toBe(200);
  return json.data;
}

const writtenBy = (name: string, via: 'http' | 'worker' | 'start', address: string | null = null) => ({
  ...world.command(),
  actor: { name, via, address, requestId: null },
});

describe('the audit log', () => {
  it('shows people by name or mail address, keys by name or hint, and the operator, each as what it is', async () => {
    const ada = await member('Ada');
    const made = (await ada.call('POST', '/console/api/keys', { kind: 'secret', name: 'Till' })).json;
    const endpoint = { url: 'https://harbor.example/hooks', events: ['checkout.completed'] };
    await world.call('POST', '/v1/webhook_endpoints', { key: made.key, body: endpoint });
    await commandLine(world).json('key', 'revoke', made.id);
    await world.db.transaction((tx) =>
      audit(tx, writtenBy('worker', 'worker'), {
        venueId: ada.venue,
        action: 'webhook_endpoint.disable',
        subject: 'whe_1',
      }),
    );
    const seen = (await entries(ada, '?limit=4')).map(({ actor, via, action, subject_name }) => [
      actor,
      via,
      action,
      subject_name,
    ]);
    expect(seen).toEqual([
      [{ type: 'service', id: null, name: 'worker' }, 'worker', 'webhook_endpoint.disable', null],
      [{ type: 'operator', id: null, name: 'operator' }, 'cli', 'key.revoke', 'Till'],
      [{ type: 'key', id: made.id, name: 'Till' }, 'http', 'webhook_endpoint.create', null],
      [{ type: 'person', id: ada.id, name: 'Ada' }, 'http', 'key.create', 'Till'],
    ]);
    const nameless = await member();
    const { id, hint } = (await nameless.call('POST', '/console/api/keys', { kind: 'secret' })).json;
    const [entry] = await entries(nameless);
    expect([entry.actor.name, entry.subject, entry.subject_name]).toEqual([
      expect.stringMatching(/^audit\d+@team\.example$/),
      id,
      hint,
    ]);
  });

  it('shows addresses without their last part, and names no guest', async () => {
    const owner = await member('Ada');
    const headers = { 'x-forwarded-for': '203.0.113.77' };
    await owner.call('POST', '/console/api/venue', { name: 'Pier 4' }, headers);
    const guest = `member ${world.context.ids.uuid()}`;
    const note = 'paid to Sam, +15550100042';
    await world.db.transaction(async (tx) => {
      const closed = { venueId: owner.venue, action: 'refund.close', subject: 'rfd_1', detail: { amount: 5, note } };
      await audit(tx, writtenBy(guest, 'http', '2001:db8:1:2::3'), closed);
    });
    const [closed, updated] = (await owner.call('GET', '/console/api/audit?limit=2')).json.data;
    expect(updated).toMatchObject({ action: 'venue.update', address: '203.0.113.…' });
    expect(updated.request_id).toMatch(/^req_/);
    expect(updated.detail).toEqual({ before: { name: 'Harbor Club' }, after: { name: 'Pier 4' } });
    expect(closed).toMatchObject({ address: '2001:db8:1:…', actor: { type: 'guest', id: null, name: 'guest' } });
    expect(closed.detail).toEqual({ amount: 5 });
  });

  it('is paged, newest first, and filtered by the beginning of the action', async () => {
    const owner = await member('Ada');
    for (const origin of ['https://a.example', 'https://b.example', 'https://c.example'])
      await owner.call('POST', '/console/api/origins', { origin });
    const first = (await owner.call('GET', '/console/api/audit?action=origin.&limit=2')).json;
    expect(first.data.map(({ subject }: Json) => subject)).toEqual(['https://c.example', 'https://b.example']);
    const next = (await owner.call('GET', `/console/api/audit?action=origin.&limit=2&before=${first.next_before}`))
      .json;
    expect([next.data.map(({ subject }: Json) => subject), next.next_before]).toEqual([['https://a.example'], null]);
    expect((await entries(owner, '?action=key')).map(({ action }) => action)).toEqual(['key.create', 'key.create']);
    expect(await entries(owner, '?action=origin.remove')).toEqual([]);
    for (const query of ['action=%25', 'action=%00', 'before=1', 'limit=0'])
      expect((await owner.call('GET', `/console/api/audit?${query}`)).status, query).toBe(422);
  });

  it('is a page of CSV to a caller that prefers it, with a link to the next page', async () => {
    const owner = await member('Ada, Ops');
    await owner.call('POST', '/console/api/origins', { origin: 'https://a.example' });
    const { status, text, headers } = await owner.call('GET', '/console/api/audit?limit=1', undefined, {
      accept: 'text/csv',
    });
    expect(status).toBe(200);
    expect(headers.get('content-type')).toContain('text/csv');
    const [names, line] = text.split('\r\n');
    expect(names).toBe('id,at,actor_type,actor,via,address,action,subject,subject_name,detail');
    expect(line).toContain(',person,"Ada, Ops",http,127.0.0.…,origin.add,https://a.example,,"{""modes"":[""test""]}"');
    expect(headers.get('link')).toMatch(/before=[0-9a-f-]{36}/);
  });

  it('has the entries of the venue alone', async () => {
    const [owner, other] = [await member('Ada'), await member('Ben')];
    await other.call('POST', '/console/api/origins', { origin: 'https://other.example' });
    expect((await entries(owner)).map(({ subject }) => subject)).not.toContain('https://other.example');
  });
});
