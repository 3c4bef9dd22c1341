// Trial.
import { inject, it } from 'vitest';
import { createDatabase } from '../fresh-database.ts';
import { Lab } from './lab.ts';
import { runSeed } from './run.ts';
it('tries', { timeout: 600000 }, async () => {
  const url = await createDatabase(inject('postgresUrl'), `sim_${process.pid}`, 'everyshare_template');
  const lab = await Lab.open(url);
  const from = Number(process.env.FROM ?? 1); const n = Number(process.env.N ?? 20);
  const began = Date.now(); let steps = 0; const kinds = new Map<string, number>(); let shown = 0;
  const ends = new Map<string, number>();
  for (let seed = from; seed < from + n; seed++) {
    const out = await runSeed(lab, seed);
    steps += out.steps;
    for (const s of out.statuses) ends.set(s, (ends.get(s) ?? 0) + 1);
    if (out.violation !== null) {
      const k = out.violation.split('\n').slice(0, 2).join(' | ').replace(/[0-9a-f]{8}-[0-9a-f-]{27}|(chk|shr|evt|pi|req)_\w+/g, '#').replace(/\d+/g, 'N');
      if (!kinds.has(k)) { console.log(`seed ${seed}: ${out.violation}`); if (shown++ < Number(process.env.SHOW ?? 1)) console.log(out.trace.slice(-70).join('\n')); }
      kinds.set(k, (kinds.get(k) ?? 0) + 1);
    }
    if (process.env.TWICE) { const b = await runSeed(lab, seed); if (b.hash !== out.hash) { console.log('DIFFERS', seed); const i = b.trace.findIndex((l, j) => l !== out.trace[j]); console.log(i, out.trace.slice(i-3, i+3), b.trace.slice(i-3, i+3)); } }
  }
  const ms = Date.now() - began;
  console.log(`${n} seeds, ${steps} steps, ${ms} ms, ${(ms / n).toFixed(1)} ms/seed`, [...kinds], [...ends]);
  await lab.close();
});
