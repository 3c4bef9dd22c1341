// bench, temporary
import { Pool } from 'undici';
import { makeOutbound } from '../../src/base/outbound/outbound.ts';
import { exchange } from '../../src/base/outbound/exchange.ts';
import { readTarget } from '../../src/base/outbound/target.ts';
import { Pools } from '../../src/base/outbound/pools.ts';
import { startReceiver } from './receiver.ts';
const conns = new Set();
const r = await startReceiver((q, s) => { conns.add(q.socket); s.end('ok'); });
const o = makeOutbound({ allowInsecureTargets: true });
const origin = `https://127.0.0.1:${r.port}`;
const p = new Pool(origin, { connections: 32, connect: { rejectUnauthorized: false } });
const q = new Pools({ allowInsecureTargets: true, maxOrigins: 10, connectionsPerOrigin: 32, connectMs: 5000 }).for(origin, ['127.0.0.1']);
const body = Buffer.alloc(1500, 'x');
const N = 6000;
const loop = async (one: () => Promise<unknown>) => { conns.clear(); const t = performance.now(); const c = process.cpuUsage(); let left = N; await Promise.all(Array.from({ length: 16 }, async () => { while (left-- > 0) await one(); })); const u = process.cpuUsage(c); return `${((performance.now() - t) * 1000 / N).toFixed(0)}us cpu ${((u.user + u.system) / N).toFixed(0)}us conns ${conns.size}`; };
const ex = (pool: Pool) => exchange(pool, { path: '/', method: 'POST', headers: {'accept-encoding':'identity','user-agent':'Everyshare',accept:'*/*'}, body, startedAt: performance.now(), headersMs: 10000, totalMs: 10000, maxBytes: 4096, truncate: true });
for (let i = 0; i < 4; i++) {
  console.log('ours ', await loop(() => o.request({ url: `${origin}/`, method: 'POST', body, truncate: true, maxBytes: 4096 })));
  console.log('ex/our pool', await loop(() => ex(q)));
  console.log('ex/raw pool', await loop(() => ex(p)));
  console.log('raw/our pool ', await loop(async () => { const x = await q.request({ path: '/', method: 'POST', body }); await x.body.text(); }));
  console.log('raw  ', await loop(async () => { const x = await p.request({ path: '/', method: 'POST', body }); await x.body.text(); }));
}
let t = performance.now(); for (let i = 0; i < 20000; i++) readTarget(`${origin}/`, true); console.log('readTarget us', (performance.now() - t) / 20);
await o.close(); await p.close(); await q.close(); await r.close();
