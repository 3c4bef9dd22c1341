// The commands that replace the keys of the installation: what they print, what they refuse, and that they are audited.

import { afterAll, beforeAll, expect, it } from 'vitest';
import { type GuestFixture, openGuestFixture } from '../guests/guest-fixture.ts';
import { type CommandLine, commandLine } from '../support/run-command.ts';

let fixture: GuestFixture;
beforeAll(async () => {
  fixture = await openGuestFixture({});
});
afterAll(() => fixture.world.close());

const run: CommandLine['run'] = (...argv) => commandLine(fixture.world).run(...argv);

it('token-key rotate and list print one JSON document, and retire refuses the key that signs', async () => {
  await fixture.createPerson('Ada');
  const [signing] = JSON.parse((await run('token-key', 'list', '--json')).out);
  expect(signing).toMatchObject({ signs: true });
  const rotated = JSON.parse((await run('token-key', 'rotate', '--json')).out);
  expect(Date.parse(rotated.signs_at)).toBeGreaterThan(Date.now());
  const listed = JSON.parse((await run('token-key', 'list', '--json')).out);
  expect(listed).toMatchObject([
    { id: rotated.id, signs: false },
    { id: signing.id, signs: true },
  ]);
  const refused = await run('token-key', 'retire', signing.id);
  expect(refused).toMatchObject({ exit: 1, out: '' });
  expect(refused.err).toContain('signs tokens now: run token-key rotate');
  const unknown = await run('token-key', 'retire', '0190b3c4-0000-7000-8000-00000000abcd');
  expect(unknown.err).toContain('"everyshare token-key list" lists them');
  expect((await run('token-key', 'retire', 'x')).exit).toBe(2);
});

it('encryption rotate says how many rows are left, and that the old key can be removed when it is 0', async () => {
  const json = await run('encryption', 'rotate', '--json');
  expect(JSON.parse(json.out)).toEqual({ resealed: 0, left: 0, unreadable: 0, first_unreadable: null });
  expect((await run('encryption', 'rotate')).out).toContain('the older keys can be removed from ENCRYPTION_KEY');
  const damaged = await fixture.createPerson('Sam');
  const { db } = fixture.world;
  await db.query(`update members set phone = '\\x0101' where member_id = $1`, [damaged.id]);
  const failed = await run('encryption', 'rotate');
  expect(failed.exit).toBe(1);
  expect(failed.err).toContain(`1 rows open with none of the keys, the first is members.phone of ${damaged.id}`);
});

it('the audit log shows what was done to the installation, without a venue', async () => {
  const entries = JSON.parse((await run('audit', 'list', '--json')).out) as {
    action: string;
    venue_id: string | null;
  }[];
  const own = entries.filter(({ venue_id }) => venue_id === null).map(({ action }) => action);
  expect(own).toContain('token_key.rotate');
  expect(own).toContain('encryption.rotate');
  expect((await run('audit', 'list')).out).toContain('encryption_key');
  const ofVenue = JSON.parse((await run('audit', 'list', '--venue', fixture.venueId, '--json')).out);
  expect(ofVenue.every(({ venue_id }: { venue_id: string }) => venue_id === fixture.venueId)).toBe(true);
});
