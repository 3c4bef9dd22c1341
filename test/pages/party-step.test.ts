// The form for choosing a party without a browser: many people at once, and whose hold a change releases.

import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { beginSession } from '../../src/domain/members/sessions.ts';
import { type GuestFixture, openGuestFixture, type Person } from '../guests/guest-fixture.ts';
import { submitForm } from '../support/submit-form.ts';

let fixture: GuestFixture;
beforeAll(async () => {
  fixture = await openGuestFixture();
});
afterAll(() => fixture.world.close());

/** Sends the form of the party, and returns the page that follows. */
async function choose(id: string, person: Person, form: Readonly<Record<string, string>>): Promise<string> {
  const cookie = `everyshare_session=${await beginSession(fixture.world.context, person.id)}`;
  const { status, text } = await submitForm(fixture.world, `/c/${id}/party`, { split: 'equal', ...form }, { cookie });
  expect(status).toBe(200);
  return text;
}

const namesOf = (page: string): string[] =>
  [...page.matchAll(/name="name" value="([^"]*)"/g)].map(([, name = '']) => name);
const boxOf = (page: string): string => /<textarea id="people"[^>]*>\n([^<]*)<\/textarea>/.exec(page)?.[1] ?? 'none';

describe('the people of a party', () => {
  it('are pasted many at once: the good ones are listed, bad lines are named, and nothing is lost', async () => {
    const ada = await fixture.createPerson('Ada');
    const id = await fixture.checkout({ party_size: 6 });
    const people = 'Ben +1 212 555 4001\r\nCleo 12; (212) 555-4002 Dan, Eve <eve@example.com>';
    const page = await choose(id, ada, { people, do: 'next', seats: '5', proposed: '5' });
    expect(namesOf(page)).toEqual(['Ben', 'Dan']);
    expect(boxOf(page)).toBe('Cleo 12\nEve &lt;eve@example.com&gt;');
    expect(page).toContain('We can’t text “Cleo 12”, “Eve &lt;eve@example.com&gt;”. Each line needs a mobile number');
    expect(page).toContain('<title>Error: ');
    expect(page).toMatch(/id="seats"[^>]*value="3"/);
  });

  it('are added without a script, and taken off the list again, while what was typed stays', async () => {
    const ada = await fixture.createPerson('Ada');
    const id = await fixture.checkout({ party_size: 6 });
    const added = await choose(id, ada, { people: '+1 212 555 4003', do: 'add', seats: '1' });
    expect([namesOf(added), boxOf(added)]).toEqual([[''], '']);
    expect(added).toContain('Take +1 212 555 4003 off the list');
    const form = { name: 'Ben', phone: '+1 212 555 4004', people: 'Cleo 12', seats: '1' };
    const removed = await choose(id, ada, { ...form, do: 'remove:0' });
    expect([namesOf(removed), boxOf(removed)]).toEqual([[], 'Cleo 12']);
  });

  it('are invited by the numbers that were pasted', async () => {
    const ada = await fixture.createPerson('Ada');
    const [ben, cleo] = [await fixture.createPerson(), await fixture.createPerson()];
    const id = await fixture.checkout({ party_size: 3 });
    const page = await choose(id, ada, { people: `Ben ${ben.phone}, ${cleo.phone} Cleo`, do: 'send', seats: '0' });
    expect(page).toContain('Your group is invited.');
    for (const { phone } of [ben, cleo]) expect(await fixture.outbox(phone, 'invite')).toHaveLength(1);
  });
});

describe('a change of the split', () => {
  it('names each hold that it releases before it is sent, also when the amount was typed last', async () => {
    const [ada, ben] = [await fixture.createPerson('Ada'), await fixture.createPerson('Ben')];
    const id = await fixture.checkout({ amount: 10_000, party_size: 2 });
    const { json } = await fixture.party(id, ada, [{ user_id: ben.id }]);
    await fixture.pay(await fixture.hold(json.shares[1].id, ben));
    const edit = await fixture.world.call('GET', `/c/${id}?edit=party`, {
      headers: { cookie: `everyshare_session=${await beginSession(fixture.world.context, ada.id)}` },
    });
    const seen = /name="seen" value="([^"]+)"/.exec(edit.text)?.[1] ?? '';
    const amounts = { 'amount:organizer': '60', [`amount:${ben.id}`]: '40' };
    const form = { do: 'send', split: 'custom', seats: '0', member: ben.id, seen, ...amounts };
    const asked = await choose(id, ada, form);
    expect(asked).toContain('These changes release holds. Look at whose, then send again.');
    expect(asked).toContain('Ben’s hold of $50.00 will be released, and they will be asked anew if they stay.');
    const statuses = async () => (await fixture.view(id, ada)).shares.map(({ status }: { status: string }) => status);
    expect(await statuses()).toEqual(['invited', 'held']);
    const warned = /name="warned" value="([^"]+)"/.exec(asked)?.[1] ?? '';
    expect(warned).toBe(json.shares[1].id);
    await choose(id, ada, { ...form, warned });
    expect(await statuses()).toEqual(['invited', 'invited']);
  });
});
