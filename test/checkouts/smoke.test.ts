// Smoke.
import { afterAll, beforeAll, expect, it } from 'vitest';
import { openWorld, type World } from '../world.ts';

let world: World;
beforeAll(async () => { world = await openWorld(); });
afterAll(() => world.close());

it('goes through', async () => {
  const venue = await world.venue({ origins: ['https://harbor.example'] });
  const { key } = await world.key(venue.venue.id);
  const body = { amount: 24001, currency: 'usd', party_size: 6, pay_by: new Date(Date.now() + 86400000).toISOString(), description: 'Cabana', return_url: 'https://harbor.example/x', external_booking_id: 'bk-1' };
  world.statements.length = 0;
  const made = await world.call('POST', '/v1/checkouts', { key, body });
  console.log(world.statements.map((t) => t.slice(0, 60)), made.status, made.text);
  if (made.status !== 201) console.log(world.logs.join(''));
  const again = await world.call('POST', '/v1/checkouts', { key, body });
  expect(again.text).toBe(made.text);
  console.log(again.headers.get('idempotent-replayed'));
  const id = made.json.id;
  console.log((await world.call('POST', `/v1/test_helpers/checkouts/${id}/collect`, { key })).text);
  console.log((await world.call('POST', `/v1/test_helpers/checkouts/${id}/hold`, { key })).text);
  const done = await world.call('POST', `/v1/test_helpers/checkouts/${id}/complete`, { key });
  console.log(done.text);
  await world.work();
  console.log(await world.db.query('select kind, status, amount, trouble from movements'));
  console.log((await world.call('POST', `/v1/checkouts/${id}/refund`, { key, body: { amount: 1000 } })).text);
  await world.work();
  console.log(await world.db.query('select kind, debit, credit, amount from ledger_entries order by at'));
  console.log(await world.db.query('select type, sequence from events order by created_at'));
  console.log(world.logs.filter((l) => !l.includes('"request"')).join(''));
});
