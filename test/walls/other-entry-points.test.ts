// Isolation at entry points outside the matrix: HEAD, hook addresses of venue systems, and hosted pages with the
// session of a guest who has no part in the checkout.

import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { PROVIDERS } from '../../src/domain/hooks/providers.ts';
import { beginSession } from '../../src/domain/members/sessions.ts';
import { operations } from '../../src/run/operations.ts';
import { digestDatabase, type IsolationFixture, type Owner, openIsolationFixture, SITE } from './isolation-fixture.ts';
import { checkout, collecting, type IdForm, integration, unusedIds } from './objects.ts';
import { type MatrixRow, operationMatrix } from './operation-matrix.ts';
import { pathWith } from './requests.ts';

// Sends every operation as every kind of caller.
vi.setConfig({ testTimeout: 60_000 });

let fixture: IsolationFixture;
beforeAll(async () => {
  fixture = await openIsolationFixture();
});
afterAll(() => fixture.close());

const VARYING_HEADERS = ['date', 'x-request-id', 'x-ratelimit-remaining', 'x-ratelimit-reset'];
const stableHeaders = (headers: Headers) => [...headers].filter(([name]) => !VARYING_HEADERS.includes(name));

describe('HEAD', () => {
  // The console's own reads take a session, which foreign.test.ts and console.test.ts try.
  const reads = operations.filter(
    ({ method, id, audience }) => method === 'GET' && audience === undefined && operationMatrix[id]?.make !== undefined,
  );

  it.each(reads.map((operation) => [operation.id, operation] as const))(
    '%s answers for an object of another owner as for a missing one',
    async (id, operation) => {
      const row = operationMatrix[id] as MatrixRow;
      const [owner, ...others] = fixture.owners as [Owner, Owner, Owner, Owner];
      const [key, origin] = row.as === 'publishable' ? [owner.publishable, { origin: SITE }] : [owner.secret, {}];
      const head = async (values: Readonly<Record<string, string>>) => {
        const path = pathWith(operation.path, values, row.query?.());
        const { status, headers, text } = await fixture.world.call('HEAD', path, { key, headers: origin });
        return { status, text, headers: stableHeaders(headers) };
      };
      for (const make of row.make ?? []) {
        const own = await make(fixture, owner);
        expect((await head(own)).status).toBe(200);
        for (const [place, form] of Object.entries(row.references ?? {})) {
          const missing = await head({ ...own, [place]: unusedIds[form as IdForm](fixture) });
          expect([missing.status, missing.text]).toEqual([row.refused?.[place]?.[0] ?? 404, '']);
          for (const other of others) {
            const theirs = await make(fixture, other);
            expect(await head({ ...own, [place]: theirs[place] ?? '' }), `${place} of ${other.mark}`).toEqual(missing);
          }
        }
      }
    },
  );
});

describe('the hook address of a venue system', () => {
  it('rejects the token of another provider’s address as an unknown one', async () => {
    for (const owner of fixture.owners) {
      const { path } = await integration(fixture, owner);
      const [, own = '', token = ''] = /^\/v1\/hooks\/([a-z]+)\/(.+)$/.exec(path) ?? [];
      const digestBefore = await digestDatabase(fixture.world.db);
      for (const provider of PROVIDERS.filter((name) => name !== own)) {
        for (const method of ['POST', 'HEAD']) {
          const request = async (lastSegment: string) => {
            const body = method === 'POST' ? { body: { booking: { pk: 1 } } } : {};
            const response = await fixture.world.call(method, `/v1/hooks/${provider}/${lastSegment}`, body);
            const text = response.text.replaceAll(/"request_id":"[^"]*"/g, '');
            return { status: response.status, text, headers: stableHeaders(response.headers) };
          };
          const unknown = await request(unusedIds.token().padEnd(token.length, 'x').slice(0, token.length));
          expect(unknown.status, `${method} ${provider}`).toBe(401);
          expect(await request(token), `${method} ${provider}`).toEqual(unknown);
        }
      }
      expect(await digestDatabase(fixture.world.db)).toEqual(digestBefore);
    }
  });
});

describe('hosted pages, with the session of a guest who has no part in the checkout', () => {
  const cookieOf = async ({ member }: Owner) =>
    `everyshare_session=${await beginSession(fixture.world.context, member.id)}`;

  async function partyOf(owner: Owner): Promise<{ id: string; shares: string[]; invite: string }> {
    const id = await checkout(fixture, owner);
    const { json } = await fixture.world.call('POST', `/v1/public/checkouts/${id}/party`, {
      key: owner.member.token,
      body: { members: [{ phone: '+12135559999' }], split: 'equal' },
    });
    const shares = json.shares.map((share: { id: string }) => share.id);
    return { id, shares, invite: new URL(json.shares[1].url).pathname };
  }

  it('offer no payment, accept no form, and write nothing', async () => {
    const [owner, ...others] = fixture.owners as [Owner, Owner, Owner, Owner];
    const { id, shares, invite } = await partyOf(owner);
    const outsiders = [];
    for (const other of others) {
      outsiders.push({ cookie: await cookieOf(other), theirs: (await collecting(fixture, other)).shares[0] ?? '' });
    }
    const digestBefore = await digestDatabase(fixture.world.db);
    for (const page of [`/c/${id}`, invite]) {
      for (const { cookie, theirs } of outsiders) {
        const shown = await fixture.world.call('GET', page, { headers: { cookie } });
        expect([shown.status, /data-pay|\+1555|\(555\)/.test(shown.text)]).toEqual([200, false]);
        const form = async (action: string, fields: Readonly<Record<string, string>>) => {
          const headers = { cookie, 'content-type': 'application/x-www-form-urlencoded' };
          const body = new URLSearchParams(fields).toString();
          const { status, headers: set } = await fixture.world.call('POST', `${page}/${action}`, { headers, body });
          // A refused form leads back to the page, which says why.
          const isRefused = set.getSetCookie().some((one) => one.startsWith('everyshare_form_error='));
          return isRefused ? 'refused' : status;
        };
        const response = {
          partyAdd: await form('party', { do: 'add' }),
          partySplit: await form('party', { seats: '1' }),
          partySent: await form('party', { do: 'send', split: 'equal', seats: '1' }),
          theirSeat: await form('seat', { share: shares[1] ?? '' }),
          otherSeat: await form('seat', { share: theirs }),
          theirShare: await form('look', { share: shares[0] ?? '' }),
          otherShare: await form('look', { share: theirs }),
        };
        expect(response).toEqual({
          partyAdd: 'refused',
          partySplit: 'refused',
          partySent: 'refused',
          theirSeat: 'refused',
          otherSeat: 'refused',
          theirShare: 403,
          otherShare: 404,
        });
      }
    }
    expect(await digestDatabase(fixture.world.db)).toEqual(digestBefore);
  });

  it('answer 404 for a missing checkout, signed in or not', async () => {
    const [owner] = fixture.owners as [Owner];
    const cookie = await cookieOf(owner);
    for (const page of [`/c/${unusedIds.checkout(fixture)}`, `/s/${unusedIds.token()}`]) {
      const [signedIn, anonymous] = [
        await fixture.world.call('GET', page, { headers: { cookie } }),
        await fixture.world.call('GET', page),
      ];
      expect([signedIn.status, anonymous.status]).toEqual([404, 404]);
    }
  });
});
