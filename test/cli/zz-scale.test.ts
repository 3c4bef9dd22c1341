// scratch
import { it } from 'vitest';
import { openShop } from '../checkouts/shop.ts';
import { openWorld } from '../world.ts';
import { checkLedger } from '../../src/domain/checkouts/ledger-check.ts';
import pg from 'pg';
it('x', async () => {
  const world = await openWorld();
  const shop = await openShop(world);
  await shop.fee(300, 0);
  const id = (await shop.completed({ amount: 24000 })).id;
  const [{ u }] = (await world.db.query("select current_database() as u")) as any;
  const { inject } = await import('vitest');
  const url = new URL(inject('postgresUrl')); url.pathname = `/${u}`;
  const c = new pg.Client({ connectionString: url.href }); await c.connect();
  await c.query('set session_replication_role = replica');
  const N = 150000;
  const copy = async (t: string, over: Record<string, string>) => {
    const cols = (await c.query("select attname from pg_attribute where attrelid = $1::regclass and attnum > 0 and not attisdropped", [t])).rows.map((r) => r.attname);
    const sel = cols.map((x: string) => over[x] ?? `r.${x}`);
    await c.query(`insert into ${t} (${cols.join(',')}) select ${sel.join(',')} from ${t} r, generate_series(1, ${N}) g where r.checkout_id = '${id}'`);
  };
  const ck = "'chk_x' || lpad(g::text, 12, '0')";
  const uu = (x: string) => `md5(g || ${x}::text)::uuid`;
  await copy('checkouts', { checkout_id: ck, external_booking_id: "'b' || g", created_at: "r.created_at + g * interval '1 millisecond'" });
  await copy('shares', { checkout_id: ck, share_id: "r.share_id || g" });
  await copy('holds', { checkout_id: ck, share_id: "r.share_id || g", hold_id: uu('r.hold_id') });
  await copy('movements', { checkout_id: ck, share_id: "r.share_id || g", hold_id: uu('r.hold_id'), movement_id: uu('r.movement_id') });
  await copy('payouts', { checkout_id: ck, payout_id: uu('r.payout_id'), created_at: "r.created_at + g * interval '1 millisecond'" });
  await copy('ledger_entries', { checkout_id: ck, subject: `${uu('r.subject')}::text` });
  for (const analyzed of [false, true]) {
    if (analyzed) await c.query('analyze');
    let t = Date.now();
    const r = await checkLedger(world.db, {});
    console.log('check', analyzed, Date.now() - t, r.problemCount, r.problems[0], r.balances);
    for (const q of ['', '?limit=100', '?from=2020-01-01T00:00:00Z&to=2030-01-01T00:00:00Z']) {
      t = Date.now(); const a = await shop.get('/v1/payouts' + q); console.log(q, a.status, Date.now() - t, JSON.stringify(a.json.totals));
    }
    t = Date.now(); await world.call('GET', '/v1/payouts', { key: shop.key, headers: { accept: 'text/csv' } }); console.log('csv', Date.now() - t);
  }
  await c.end();
  await world.close();
}, 300000);
