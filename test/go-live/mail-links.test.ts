// Every link in every mail to the people of a venue leads to a page that the console has.

import { afterAll, beforeAll, expect, it } from 'vitest';
import { emailChangedMail, invitationMail, passkeyMail } from '../../src/domain/accounts/mails.ts';
import { notifyDuePeople } from '../../src/domain/accounts/notify-people.ts';
import type { NewNotice, NoticeKind } from '../../src/domain/notices/notice.ts';
import { recordNotice } from '../../src/domain/notices/record-notice.ts';
import { venuePathOf } from '../../web/console/client/match-path.ts';
import { ACCOUNT_PAGE, HOME_PAGE, routeOf, VENUES_PAGE } from '../../web/console/routes.ts';
import { signInToConsole } from '../support/console-client.ts';
import { openTestWorld, type TestWorld } from '../support/test-world.ts';
import { addMember, type QueuedMail, queuedMails } from './team.ts';

let world: TestWorld;
beforeAll(async () => {
  world = await openTestWorld();
});
afterAll(() => world.close());

const consoleUrl = (): string => world.context.services.consoleUrl();

/** The paths of the links to the console, behind the origin. */
function linksIn(mails: readonly Pick<QueuedMail, 'text'>[]): string[] {
  const origin = new URL(consoleUrl()).origin;
  return mails
    .flatMap(({ text }) => text.match(/https?:\/\/[^\s,]+/g) ?? [])
    .filter((link) => link.startsWith(origin))
    .map((link) => link.slice(origin.length).replace(/\.$/, ''));
}

function isPage(link: string): boolean {
  const { pathname } = new URL(link, consoleUrl());
  if ([HOME_PAGE, ACCOUNT_PAGE, VENUES_PAGE].includes(pathname)) return true;
  const named = venuePathOf(pathname);
  return named !== null && routeOf(named.screen) !== null;
}

const key = { name: 'Web shop', hint: 'svc_live_…a1b2', expires_at: '2027-06-12T13:30:00.000Z' };
const review = { id: 'o1', name: 'Sunset sail', status: 'rejected', note: null };
/** One of each kind, then another of the kind, and the pages that the mail about the first and that about both names. */
const NOTICES: Readonly<
  Record<NoticeKind, readonly [NewNotice['detail'], NewNotice['detail'], one: string, several: string]>
> = {
  endpoint: [
    { state: 'failing', endpoint: 'whe_1', host: 'hooks.example' },
    { state: 'failing', endpoint: 'whe_2', host: 'hooks.example' },
    '/webhooks/whe_1',
    '/webhooks',
  ],
  payout: [{ checkout: 'chk_1' }, { checkout: 'chk_2' }, '/checkouts/chk_1', '/payouts'],
  dispute: [{ checkout: 'chk_1' }, { checkout: 'chk_2' }, '/checkouts/chk_1', '/payouts?tab=disputes'],
  review: [{ object: 'experience', ...review }, { object: 'boat', ...review }, '/catalogue/event/o1', '/catalogue'],
  key_expiry: [{ key: 'key_1', ...key }, { key: 'key_2', ...key }, '/keys/key_1', '/keys'],
  payable: [{ payable: false }, { payable: true }, '/go-live', '/go-live'],
  live: [{}, {}, '/go-live', '/go-live'],
  approval: [{ approved: true }, { approved: false }, '/go-live', '/go-live'],
};

async function noticeLinks(venueId: string, kind: NoticeKind, details: readonly NewNotice['detail'][]) {
  await world.db.query('delete from mails');
  for (const detail of details)
    await recordNotice(
      world.db,
      { ids: world.context.ids, now: Date.now() - 3_600_000 },
      { venueId, mode: 'live', kind, subject: world.context.ids.uuid(), detail },
    );
  await notifyDuePeople(world.context.services, 10);
  return linksIn((await queuedMails(world, 'notice')).slice(0, 1));
}

it.each(Object.entries(NOTICES))(
  'a notice of kind %s leads to its object, several to their list',
  async (kind, cases) => {
    const [first, second, one, several] = cases;
    const { venue } = await world.venue({ origins: ['https://covepine.example'] });
    await addMember(world, venue.id, 'owner');
    const pages = `/console/v/${venue.id}/live`;
    for (const [details, page] of [
      [[first], one],
      [[first, second], several],
    ] as const) {
      const links = await noticeLinks(venue.id, kind as NoticeKind, details);
      expect(links[0]).toBe(`${pages}${page}`);
      expect(links.filter((link) => !isPage(link))).toEqual([]);
      const isChosen = !['payable', 'live', 'approval'].includes(kind);
      expect(links.slice(1)).toEqual(isChosen ? [`${pages}/settings/notifications`] : []);
    }
  },
);

it('a notice to a venue without a live mode leads to its test mode', async () => {
  const { venue } = await world.venue({ sandbox: true });
  await addMember(world, venue.id, 'owner');
  expect(await noticeLinks(venue.id, 'approval', [{ approved: true }])).toEqual([
    `/console/v/${venue.id}/test/go-live`,
  ]);
});

it('mails about a role, a device, a passkey, an invitation and an address lead to pages of the console', async () => {
  await world.db.query('delete from mails');
  const { venue } = await world.venue();
  const owner = await addMember(world, venue.id, 'owner');
  const viewer = await addMember(world, venue.id, 'viewer');
  await owner.call('POST', `/console/api/people/${viewer.id}`, { role: 'finance' });
  await signInToConsole(world, viewer.email);
  const security = linksIn(await queuedMails(world, 'security'));
  expect(security).toEqual(['/console', '/console/account']);
  const url = consoleUrl();
  const links = linksIn([
    passkeyMail('a@b.example', { change: 'added', name: 'Phone', url }),
    invitationMail('a@b.example', 'viewer', { person: null, venue: 'Cove', url }),
    emailChangedMail('a@b.example', 'c@b.example', url),
  ]);
  expect(links).toHaveLength(3);
  expect([...security, ...links].filter((link) => !isPage(link))).toEqual([]);
});
