// The compressed size of the JavaScript on the page on which a guest pays: every script that the page of a real party
// names, and every script that those import. The result is a size, not a ratio.

import type { Bench, PreparedBench } from './bench.ts';
import { createOnce, newBody } from './create-load.ts';
import type { BenchFixture } from './fixture.ts';
import { scriptsOf, textOf, totalBytes } from './scripts.ts';

const KB = 1024;

export const guestPage: Bench = {
  name: 'guest-page',
  floor: 15,
  goal: 10,
  unit: 'KB',
  better: 'less',
  isSize: true,
  note: 'Every script named by the page of a share that can be paid, gzipped. With the real processor the page has pay-stripe.js instead of pay-sandbox.js, and the processor serves its own script.',
  rounds: { full: 1, quick: 1 },
  sides: { ours: 'the scripts of the page', base: 'the maximum' },
  prepare,
};

async function prepare(fixture: BenchFixture): Promise<PreparedBench> {
  const server = await fixture.getServer();
  const { page, cookie } = await createSharePage(fixture, server.port);
  const ours = async (): Promise<number> => {
    const text = await textOf(page, { cookie });
    if (!text.includes('data-driver=')) throw new Error('the page has no form to pay with');
    const named = [...text.matchAll(/(?:<script [^>]*src|data-driver)="([^"]+)"/g)];
    const scripts = await scriptsOf(named.map(([, path]) => new URL(path ?? '', page).href));
    return (await totalBytes(scripts)) / KB;
  };
  return { ours, base: async () => guestPage.floor, close: () => server.stop() };
}

/** Creates a party of two; returns the page of the second guest's share, and that guest's cookie. */
export async function createSharePage(
  fixture: BenchFixture,
  port: number,
): Promise<{ readonly page: string; readonly cookie: string }> {
  const { keys } = await fixture.makeVenue(1);
  const address = `http://127.0.0.1:${port}`;
  const [ada, ben] = [await fixture.makeGuest(), await fixture.makeGuest()];
  const { id } = await createOnce(port, keys[0] ?? '', newBody(2));
  const created = await fetch(`${address}/v1/public/checkouts/${id}/party`, {
    method: 'POST',
    headers: { authorization: `Bearer ${ada.token}`, 'content-type': 'application/json' },
    body: JSON.stringify({ members: [{ user_id: ben.id }], split: 'equal' }),
  });
  const { shares } = (await created.json()) as { shares?: readonly { readonly url: string }[] };
  const shareUrl = shares?.[1]?.url;
  if (shareUrl === undefined) throw new Error(`POST /party answered ${created.status}`);
  return { page: `${address}${new URL(shareUrl).pathname}`, cookie: ben.cookie };
}
