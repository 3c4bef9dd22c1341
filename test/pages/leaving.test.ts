// Leaving the group on the hosted pages, without a script: a page asks once, the form does exactly what it said, and what
// follows is a page that says how things stand.

import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createPerson, type Person } from '../support/create-person.ts';
import { submitForm } from '../support/submit-form.ts';
import { CARDS, type Json, ORIGIN, TestVenue } from '../support/test-venue.ts';
import { type HttpResponse, openTestWorld, type TestWorld } from '../support/test-world.ts';

let world: TestWorld;
let venue: TestVenue;

beforeAll(async () => {
  world = await openTestWorld();
  const opened = await world.venue({ name: 'Harbor Club', origins: [ORIGIN] });
  const { key } = await world.key(opened.venue.id, { writesPerHour: 100_000, readsPerHour: 100_000 });
  venue = new TestVenue(world, opened.venue.id, key, 'test');
});
afterAll(() => world.close());

async function createGroup() {
  const [ada, ben] = [await createPerson(world, 'Ada'), await createPerson(world, 'Ben')];
  const checkout = await venue.create({ amount: 8_000, party_size: 2 });
  const response = await world.call('POST', `/v1/public/checkouts/${checkout.id}/party`, {
    key: ada.token,
    body: { members: [{ user_id: ben.id }], split: 'equal' },
  });
  expect(response.status, response.text).toBe(200);
  const [own, invite] = response.json.shares as { id: string; url: string }[];
  if (own === undefined || invite === undefined) throw new Error('the party has two shares');
  return { ada, ben, own, invite, id: checkout.id as string, link: new URL(invite.url).pathname };
}

const get = async (path: string, person?: Person): Promise<string> =>
  (await world.call('GET', path, { headers: person?.headers ?? {} })).text;
const submit = (path: string, form: Record<string, string>, person?: Person): Promise<HttpResponse> =>
  submitForm(world, path, form, person?.headers ?? {});
const sharesOf = async (id: string, { token }: Person): Promise<Json[]> =>
  (await world.call('GET', `/v1/public/checkouts/${id}`, { key: token })).json.shares;
/** The fields of the form that asks, as a browser sends them. */
const fieldsOf = (page: string): Record<string, string> =>
  Object.fromEntries(
    [...page.matchAll(/type="hidden" name="(\w+)" value="(\w+)"/g)].map(([, name, value]) => [name, value]),
  );

describe('an invited guest', () => {
  it('is asked once, says no without signing in, and may take the seat again while it is free', async () => {
    const { ada, ben, id, invite, link } = await createGroup();
    expect(await get(link)).toContain(`href="${link}?leave=own"`);
    const question = await get(`${link}?leave=own`);
    expect(question).toContain('<h1>You can’t come?</h1>');
    expect(question).toContain('Your seat opens for someone else, and Ada is told. You have nothing to pay.');
    expect((await sharesOf(id, ada))[1]).toMatchObject({ id: invite.id, is_open_seat: false });
    const { text } = await submit(`${link}/leave`, fieldsOf(question));
    expect(text).toContain('You said you can’t come.');
    expect(text).toContain('Changed your mind? Take the seat again while it is free.');
    expect((await sharesOf(id, ada))[1]).toMatchObject({ is_open_seat: true, amount: 4_000 });
    // Signed in, the link of the invite offers the seat.
    const again = await get(link, ben);
    expect(again).toContain('You said you can’t come.');
    const seat = /name="share" value="(shr_\w+)"/.exec(again)?.[1] ?? '';
    await submit(`${link}/seat`, { share: seat }, ben);
    expect(await get(link, ben)).toContain('data-pay=');
  });

  it('says no signed in on the group’s page, and the organizer sees it in the list', async () => {
    const { ada, ben, id } = await createGroup();
    const path = `/c/${id}`;
    expect(await get(path, ben)).toContain(`href="${path}?leave=own"`);
    const { text } = await submit(`${path}/leave`, fieldsOf(await get(`${path}?leave=own`, ben)), ben);
    expect(text).toContain('You said you can’t come.');
    const list = await get(path, ada);
    expect(list).toMatch(/<li class="left">.+<bdi>Ben<\/bdi><span class="state">Can’t come<\/span>/);
    expect(list).toContain('1 open seat');
    // Back in the party, the guest is no longer listed as away.
    const seat = (await sharesOf(id, ada))[1]?.id as string;
    await submit(`${path}/seat`, { share: seat }, ben);
    expect(await get(path, ada)).not.toContain('Can’t come');
  });

  it('is the only one who can: another member is refused, and without a sign-in only the link of the invite counts', async () => {
    const { ada, id, invite } = await createGroup();
    await submit(`/c/${id}/leave`, { share: invite.id, seen: 'unpaid' });
    const cal = await createPerson(world, 'Cal');
    const refused = await submit(`/c/${id}/leave`, { share: invite.id, seen: 'unpaid' }, cal);
    expect(refused.text).toContain('This share belongs to someone else.');
    for (const share of ['', 'x', `${invite.id}\u0000`, 'shr_00000000000000000000000000'])
      expect((await submit(`/c/${id}/leave`, { share }, cal)).status).toBe(200);
    expect((await sharesOf(id, ada))[1]).toMatchObject({ id: invite.id, is_open_seat: false });
  });
});

describe('a held guest', () => {
  it('reads what it means for the group, and then what was released', async () => {
    const { ben, id, invite, link } = await createGroup();
    await venue.pay(id, invite.id, CARDS.good);
    const question = await get(`${link}?leave=own`, ben);
    expect(question).toContain('<h1>Give up your place?</h1>');
    expect(question).toContain(
      'Your hold of $40.00 is released. The group then needs someone for your seat, or the booking does not go ahead.',
    );
    // Without a sign-in the page asks for it: the link alone releases no card.
    expect(await get(`${link}?leave=own`)).not.toContain('name="seen"');
    const { text } = await submit(`${link}/leave`, fieldsOf(question), ben);
    expect(text).toContain('You said you can’t come.');
    expect(text).toMatch(/Your hold, released<\/p><p class="amount"><bdi>\$40\.00/);
  });

  it('is asked again if the share was paid after the page had asked', async () => {
    const { ada, ben, id, invite, link } = await createGroup();
    const fields = fieldsOf(await get(`${link}?leave=own`, ben));
    await venue.pay(id, invite.id, CARDS.good);
    const refused = await submit(`${link}/leave`, fields, ben);
    expect(refused.text).toContain('The group has changed while you were choosing.');
    expect((await sharesOf(id, ada))[1]).toMatchObject({ id: invite.id, status: 'held' });
  });

  it('cannot leave once all have paid: the page names the cancellation policy', async () => {
    const { ada, ben, id, own, invite } = await createGroup();
    await venue.pay(id, invite.id, CARDS.good);
    const path = `/c/${id}`;
    const fields = fieldsOf(await get(`${path}?leave=own`, ben));
    await venue.pay(id, own.id, CARDS.good);
    const refused = await submit(`${path}/leave`, fields, ben);
    expect(refused.text).toContain('Everyone has paid, so the group can no longer change.');
    expect(refused.text).toContain('cancellation policy counts');
    expect(await get(`${path}?leave=own`, ben)).not.toContain('name="seen"');
    expect((await sharesOf(id, ada)).every(({ is_open_seat }) => !is_open_seat)).toBe(true);
  });
});

describe('an organizer', () => {
  it('removes a guest after one question that says whether a hold is released', async () => {
    const { ada, id, invite } = await createGroup();
    const path = `/c/${id}`;
    expect(await get(path, ada)).toContain(`href="${path}?remove=${invite.id}"`);
    const unpaid = await get(`${path}?remove=${invite.id}`, ada);
    expect(unpaid).toContain('Their seat opens for someone else. They have nothing to pay.');
    await venue.pay(id, invite.id, CARDS.good);
    const held = await get(`${path}?remove=${invite.id}`, ada);
    expect(held).toContain('Their hold of $40.00 is released, and they get a text.');
    // The first question said nothing about a hold.
    await submit(`${path}/remove`, fieldsOf(unpaid), ada);
    expect((await sharesOf(id, ada))[1]).toMatchObject({ status: 'held' });
    const { text } = await submit(`${path}/remove`, fieldsOf(held), ada);
    expect(text).toContain('1 open seat');
    expect(text).not.toContain('Can’t come');
    expect((await sharesOf(id, ada))[1]).toMatchObject({ status: 'invited', is_open_seat: true });
  });

  it('cannot leave the own group, and reads what to do instead', async () => {
    const { ada, ben, id, own, invite } = await createGroup();
    const path = `/c/${id}`;
    expect(await get(`${path}?pay=own`, ada)).not.toContain('leave=own');
    expect(await get(`${path}?leave=own`, ada)).toContain('You organize this group, so your own share stays.');
    const refused = await submit(`${path}/leave`, { share: own.id, seen: 'unpaid' }, ada);
    expect(refused.text).toContain('You organize this group, so your own share stays.');
    // Only the organizer is offered to remove a guest.
    expect(await get(`${path}?remove=${own.id}`, ben)).not.toContain('name="seen"');
    const notTheirs = await submit(`${path}/remove`, { share: invite.id, seen: 'unpaid' }, ben);
    expect(notTheirs.text).toContain('Another guest has chosen the group already.');
    expect(await sharesOf(id, ada)).toHaveLength(2);
  });
});
