// Idempotency-Key on the party: a repeated choice returns the first response and invites no guest twice. The key belongs
// to the member and the checkout. An empty list of members is a party of the organizer alone.

import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { guestKey } from '../../src/domain/idempotency/stored-responses.ts';
import { type GuestFixture, openGuestFixture, type Person, statusAndError } from './guest-fixture.ts';

let guests: GuestFixture;
beforeAll(async () => {
  // Servers that share a database share an address, as behind a load balancer.
  guests = await openGuestFixture({ servers: 2, env: { BASE_URL: 'https://pay.example' } });
});
afterAll(() => guests.world.close());

let phones = 0;
const newPhone = (): string => `+1555010${String(100 + phones++).padStart(4, '0')}`;

function choose(id: string, person: Person, body: unknown, key: string, server = 0) {
  const headers = { 'idempotency-key': key };
  return guests.world.call('POST', `/v1/public/checkouts/${id}/party`, { key: person.token, body, headers, server });
}

async function eventsOf(id: string): Promise<string[]> {
  const rows = await guests.world.db.query<{ type: string }>(
    'select type from events where subject = $1 order by sequence',
    [id],
  );
  return rows.map(({ type }) => type);
}

describe('the Idempotency-Key of a party', () => {
  it('replays the first response byte for byte on every server, and chooses the party once', async () => {
    const ada = await guests.createPerson('Ada');
    const id = await guests.checkout();
    const phone = newPhone();
    const body = { members: [{ phone, name: 'Sam' }], split: 'equal' };
    const first = await choose(id, ada, body, 'choice');
    const repeated = await choose(id, ada, body, 'choice', 1);
    expect([first.status, repeated.status], first.text).toEqual([200, 200]);
    expect(repeated.text).toBe(first.text);
    expect(first.headers.get('idempotent-replayed')).toBeNull();
    expect(repeated.headers.get('idempotent-replayed')).toBe('true');
    expect(await eventsOf(id)).toEqual(['checkout.created', 'checkout.collecting']);
    expect(await guests.outbox(phone, 'invite')).toHaveLength(1);
  });

  it('chooses once and gives 20 equal responses to 20 equal concurrent calls on two servers', async () => {
    const ada = await guests.createPerson('Ada');
    const id = await guests.checkout();
    const body = { members: [{ phone: newPhone() }], split: 'equal' };
    const responses = await Promise.all(
      Array.from({ length: 20 }, (_, call) => choose(id, ada, body, 'storm', call % 2)),
    );
    expect(new Set(responses.map(({ status }) => status))).toEqual(new Set([200]));
    expect(new Set(responses.map(({ text }) => text)).size).toBe(1);
    expect(responses.filter(({ headers }) => headers.get('idempotent-replayed') === null)).toHaveLength(1);
    expect(await eventsOf(id)).toEqual(['checkout.created', 'checkout.collecting']);
  });

  it('refuses another body under the same key with 409 idempotency_key_reused, and changes nothing', async () => {
    const ada = await guests.createPerson('Ada');
    const id = await guests.checkout();
    await choose(id, ada, { members: [{ phone: newPhone() }], split: 'equal' }, 'reused');
    const other = await choose(id, ada, { members: [], split: 'equal' }, 'reused');
    expect(statusAndError(other)).toEqual([409, 'conflict', 'idempotency_key_reused']);
    expect(await eventsOf(id)).toEqual(['checkout.created', 'checkout.collecting']);
  });

  it('stays unused when the call failed validation, by the schema or by the split', async () => {
    const ada = await guests.createPerson('Ada');
    const id = await guests.checkout();
    for (const wrong of [
      { members: 'all', split: 'equal' },
      { members: [], split: { custom: { organizer: 1 } } },
    ])
      expect((await choose(id, ada, wrong, 'mended')).status).toBe(422);
    expect((await choose(id, ada, { members: [], split: 'equal' }, 'mended')).status).toBe(200);
  });

  it('belongs to the member and the checkout, apart from the keys of others and of the partner', async () => {
    const [ada, sam] = [await guests.createPerson('Ada'), await guests.createPerson('Sam')];
    const [one, two] = [await guests.checkout(), await guests.checkout()];
    const { world, key } = guests;
    const body = { members: [], split: 'equal' };
    const headers = { 'idempotency-key': 'mine' };
    const canceled = await world.call('POST', `/v1/checkouts/${await guests.checkout()}/cancel`, { key, headers });
    expect(canceled.status).toBe(200);
    const responses = [await choose(one, ada, body, 'mine'), await choose(two, sam, body, 'mine')];
    expect(responses.map(({ status }) => status)).toEqual([200, 200]);
    expect(statusAndError(await choose(one, sam, body, 'mine')).slice(0, 2)).toEqual([403, 'not_organizer']);
    const replayed = await choose(one, ada, body, 'mine');
    expect(replayed.text).toBe(responses[0]?.text);
  });

  it('is not reachable by a partner: no header can contain the stored form of a guest’s key', () => {
    const stored = guestKey('member', 'chk_1', 'x'.repeat(255));
    expect(stored).toMatch(/^\n[\w-]{43}$/);
    expect(() => new Headers({ 'idempotency-key': stored }).get('idempotency-key') === stored).not.toThrow();
    expect(new Headers({ 'idempotency-key': stored }).get('idempotency-key')).not.toBe(stored);
  });

  it('answers 409 request_in_progress while the first call runs', { tags: ['slow'] }, async () => {
    const ada = await guests.createPerson('Ada');
    const id = await guests.checkout();
    const body = { members: [], split: 'equal' };
    const first = guests.world.db.transaction(async (tx) => {
      await tx.query(
        `insert into idempotency_keys (venue_id, mode, idempotency_key, fingerprint, status, response, created_at)
         values ($1, 'test', $2, '\\x00', 200, '\\x00', now())`,
        [guests.venueId, guestKey(ada.id, id, 'slow')],
      );
      expect(statusAndError(await choose(id, ada, body, 'slow'))).toEqual([409, 'conflict', 'request_in_progress']);
      throw new Error('rolled back');
    });
    await expect(first).rejects.toThrow('rolled back');
    expect((await choose(id, ada, body, 'slow')).status).toBe(200);
  });

  it('may be sent by a page of a registered origin', async () => {
    const { headers } = await guests.world.call('OPTIONS', `/v1/public/checkouts/${await guests.checkout()}/party`, {
      headers: { origin: 'https://harbor.example', 'access-control-request-method': 'POST' },
    });
    expect(headers.get('access-control-allow-headers')).toContain('Idempotency-Key');
  });
});

describe('a call without a sign-in', () => {
  it.each([
    ['POST', '/v1/public/checkouts/{id}/party'],
    ['POST', '/v1/public/checkouts/{id}/seat'],
    ['POST', '/v1/public/shares/shr_00000000000000000000000000/hold'],
    ['GET', '/v1/public/checkouts/{id}'],
  ])('to %s %s gets a 401 that speaks of signing in, not of API keys', async (method, path) => {
    const at = path.replace('{id}', await guests.checkout());
    for (const key of [undefined, 'eyJhbGciOiJFZERTQSJ9.e30.AAAA']) {
      const { status, json } = await guests.world.call(method, at, key === undefined ? {} : { key });
      expect([status, json.error.code]).toEqual([401, 'unauthorized']);
      expect(json.error.message).toContain('sign in with POST /v1/public/sign_in');
      expect(json.error.message).not.toContain('API key');
    }
    const partner = await guests.world.call('GET', '/v1/me');
    expect(partner.json.error.message).toContain('The API key is missing');
  });
});

describe('a custom split', () => {
  it('has amounts in digits alone: a point or an exponent is invalid_type at its pointer', async () => {
    const ada = await guests.createPerson('Ada');
    const path = `/v1/public/checkouts/${await guests.checkout({ amount: 10_000 })}/party`;
    for (const literal of ['10000.0', '1e4']) {
      const body = `{"members":[],"split":{"custom":{"organizer":${literal}}}}`;
      const response = await guests.world.call('POST', path, { key: ada.token, body });
      expect(statusAndError(response)).toEqual([422, 'invalid_type', '/split/custom/organizer']);
    }
  });
});

describe('a party without members', () => {
  it('is the organizer alone, who pays the whole amount', async () => {
    const ada = await guests.createPerson('Ada');
    const id = await guests.checkout({ amount: 10_000 });
    const { status, json } = await guests.party(id, ada, []);
    expect([status, json.checkout.status]).toEqual([200, 'collecting']);
    expect(json.shares.map(({ amount }: { amount: number }) => amount)).toEqual([10_000]);
    expect(json.checkout.shares[0]).toMatchObject({ is_organizer: true, status: 'invited' });
  });
});
