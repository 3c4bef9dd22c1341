// The walls at the doors that the matrix does not ask: HEAD, the addresses of venue systems, and the hosted pages with the
// session of somebody who has no part in what they show.

import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { PROVIDERS } from '../../src/domain/hooks/providers.ts';
import { beginSession } from '../../src/domain/members/sessions.ts';
import { operations } from '../../src/run/operations.ts';
import { digestDatabase, type IsolationFixture, type Owner, openIsolationFixture, SITE } from './isolation-fixture.ts';
import { checkout, collecting, type Form, integration, unusedIds } from './objects.ts';
import { type MatrixRow, operationMatrix } from './operation-matrix.ts';
import { pathWith } from './requests.ts';

let fixture: IsolationFixture;
beforeAll(async () => {
  fixture = await openIsolationFixture();
});
afterAll(() => fixture.close());

const CHANGING = ['date', 'x-request-id', 'x-ratelimit-remaining', 'x-ratelimit-reset'];
const headersOf = (headers: Headers) => [...headers].filter(([name]) => !CHANGING.includes(name));

describe('HEAD', () => {
  const reading = operations.filter(({ method, id }) => method === 'GET' && operationMatrix[id]?.make !== undefined);

  it.each(reading.map((operation) => [operation.id, operation] as const))(
    '%s says of somebody else’s object what it says of none',
    async (id, operation) => {
      const row = operationMatrix[id] as MatrixRow;
      const [mine, ...others] = fixture.owners as [Owner, Owner, Owner, Owner];
      const [key, origin] = row.as === 'publishable' ? [mine.publishable, { origin: SITE }] : [mine.secret, {}];
      const head = async (values: Readonly<Record<string, string>>) => {
        const path = pathWith(operation.path, values, row.query?.());
        const { status, headers, text } = await fixture.world.call('HEAD', path, { key, headers: origin });
        return { status, text, headers: headersOf(headers) };
      };
      for (const make of row.make ?? []) {
        const own = await make(fixture, mine);
        expect((await head(own)).status).toBe(200);
        for (const [place, form] of Object.entries(row.names ?? {})) {
          const none = await head({ ...own, [place]: unusedIds[form as Form](fixture) });
          expect([none.status, none.text]).toEqual([row.refused?.[place]?.[0] ?? 404, '']);
          for (const other of others) {
            const theirs = await make(fixture, other);
            expect(await head({ ...own, [place]: theirs[place] ?? '' }), `${place} of ${other.mark}`).toEqual(none);
          }
        }
      }
    },
  );
});

describe('the address of a venue system', () => {
  it('takes its token at no other provider’s address, whoever’s it is, and says what it says of an unknown one', async () => {
    for (const owner of fixture.owners) {
      const { path } = await integration(fixture, owner);
      const [, own = '', token = ''] = /^\/v1\/hooks\/([a-z]+)\/(.+)$/.exec(path) ?? [];
      const before = await digestDatabase(fixture.world.db);
      for (const provider of PROVIDERS.filter((name) => name !== own)) {
        for (const method of ['POST', 'HEAD']) {
          const ask = async (last: string) => {
            const body = method === 'POST' ? { body: { booking: { pk: 1 } } } : {};
            const response = await fixture.world.call(method, `/v1/hooks/${provider}/${last}`, body);
            const text = response.text.replaceAll(/"request_id":"[^"]*"/g, '');
            return { status: response.status, text, headers: headersOf(response.headers) };
          };
          const unknown = await ask(unusedIds.token().padEnd(token.length, 'x').slice(0, token.length));
          expect(unknown.status, `${method} ${provider}`).toBe(401);
          expect(await ask(token), `${method} ${provider}`).toEqual(unknown);
        }
      }
      expect(await digestDatabase(fixture.world.db)).toEqual(before);
    }
  });
});

describe('the hosted pages, with the session of somebody who has no part in it', () => {
  const cookieOf = async ({ member }: Owner) =>
    `everyshare_session=${await beginSession(fixture.world.context, member.id)}`;

  async function partyOf(owner: Owner): Promise<{ id: string; shares: string[]; invite: string }> {
    const id = await checkout(fixture, owner);
    const { json } = await fixture.world.call('POST', `/v1/public/checkouts/${id}/party`, {
      key: owner.member.token,
      body: { members: [{ phone: '+15550309999' }], split: 'equal' },
    });
    const shares = json.shares.map((share: { id: string }) => share.id);
    return { id, shares, invite: new URL(json.shares[1].url).pathname };
  }

  it('show no way to pay, take no form, and write nothing', async () => {
    const [mine, ...others] = fixture.owners as [Owner, Owner, Owner, Owner];
    const { id, shares, invite } = await partyOf(mine);
    const strangers = [];
    for (const other of others) {
      strangers.push({ cookie: await cookieOf(other), theirs: (await collecting(fixture, other)).shares[0] ?? '' });
    }
    const before = await digestDatabase(fixture.world.db);
    for (const page of [`/c/${id}`, invite]) {
      for (const { cookie, theirs } of strangers) {
        const seen = await fixture.world.call('GET', page, { headers: { cookie } });
        expect([seen.status, /data-pay|\+1555|\(555\)/.test(seen.text)]).toEqual([200, false]);
        const form = async (action: string, fields: Readonly<Record<string, string>>) => {
          const headers = { cookie, 'content-type': 'application/x-www-form-urlencoded' };
          const body = new URLSearchParams(fields).toString();
          return (await fixture.world.call('POST', `${page}/${action}`, { headers, body })).status;
        };
        const response = {
          partyRow: await form('party', { do: 'row' }),
          partySplit: await form('party', { seats: '1' }),
          partySent: await form('party', { do: 'send', split: 'equal', seats: '1' }),
          theirSeat: await form('seat', { share: shares[1] ?? '' }),
          otherSeat: await form('seat', { share: theirs }),
          theirShare: await form('look', { share: shares[0] ?? '' }),
          otherShare: await form('look', { share: theirs }),
        };
        expect(response).toEqual({
          partyRow: 403,
          partySplit: 403,
          partySent: 403,
          theirSeat: 409,
          otherSeat: 404,
          theirShare: 403,
          otherShare: 404,
        });
      }
    }
    expect(await digestDatabase(fixture.world.db)).toEqual(before);
  });

  it('say of a checkout that is not there what they say to anybody', async () => {
    const [mine] = fixture.owners as [Owner];
    const cookie = await cookieOf(mine);
    for (const page of [`/c/${unusedIds.checkout(fixture)}`, `/s/${unusedIds.token()}`]) {
      const [signedIn, stranger] = [
        await fixture.world.call('GET', page, { headers: { cookie } }),
        await fixture.world.call('GET', page),
      ];
      expect([signedIn.status, stranger.status]).toEqual([404, 404]);
    }
  });
});
