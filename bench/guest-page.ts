// The weight of the JavaScript on the page on which a guest pays, as our server sends it, compressed: whatever that page of a
// real party names, and what those scripts name in turn. No ratio but a size: the less the better.

import { request } from 'node:http';
import type { Bench, Prepared } from './bench.ts';
import { createOnce, newBody } from './creates.ts';
import type { Stage } from './stage.ts';

const KB = 1024;

export const guestPage: Bench = {
  name: 'guest-page',
  floor: 25,
  goal: 15,
  unit: 'KB',
  better: 'less',
  isSize: true,
  note: 'Every script that the page of a share that can be paid names, gzipped; with the real processor pay-stripe.js stands in for pay-sandbox.js, and its own script comes from its own address.',
  rounds: { full: 1, quick: 1 },
  sides: { ours: 'the scripts of the page', base: 'the most that they may weigh' },
  prepare,
};

async function prepare(stage: Stage): Promise<Prepared> {
  const server = await stage.serveOurs();
  const { page, cookie } = await inviteToPay(stage, server.port);
  const ours = async (): Promise<number> => {
    const text = await textOf(page, { cookie });
    if (!text.includes('data-driver=')) throw new Error('the page has no form to pay with');
    const named = [...text.matchAll(/(?:<script [^>]*src|data-driver)="([^"]+)"/g)];
    return (await bytesOf(named.map(([, path]) => new URL(path ?? '', page).href))) / KB;
  };
  return { ours, base: async () => guestPage.floor, close: () => server.stop() };
}

/** A party of two, one of whom has the page of their share before them. */
async function inviteToPay(stage: Stage, port: number): Promise<{ readonly page: string; readonly cookie: string }> {
  const { keys } = await stage.makeVenue(1);
  const address = `http://127.0.0.1:${port}`;
  const [ada, ben] = [await stage.makeGuest(), await stage.makeGuest()];
  const { id } = await createOnce(port, keys[0] ?? '', newBody(2));
  const seated = await fetch(`${address}/v1/public/checkouts/${id}/party`, {
    method: 'POST',
    headers: { authorization: `Bearer ${ada.token}`, 'content-type': 'application/json' },
    body: JSON.stringify({ members: [{ user_id: ben.id }], split: 'equal' }),
  });
  const { shares } = (await seated.json()) as { shares?: readonly { readonly url: string }[] };
  const own = shares?.[1]?.url;
  if (own === undefined) throw new Error(`the party was answered ${seated.status}`);
  return { page: `${address}${new URL(own).pathname}`, cookie: ben.cookie };
}

/** Of these scripts and of every one that they import, each once. */
async function bytesOf(first: readonly string[]): Promise<number> {
  const seen = new Set(first);
  let bytes = 0;
  // Whatever is added on the way is walked too.
  for (const url of seen) {
    bytes += await compressedBytes(url);
    const imported = (await textOf(url, {})).matchAll(/(?:from|import)\s*\(?\s*['"]([^'"]+)['"]/g);
    for (const [, path] of imported) seen.add(new URL(path ?? '', url).href);
  }
  return bytes;
}

async function textOf(url: string, headers: Readonly<Record<string, string>>): Promise<string> {
  const answer = await fetch(url, { headers });
  if (answer.status !== 200) throw new Error(`${url} was answered ${answer.status}`);
  return answer.text();
}

function compressedBytes(url: string): Promise<number> {
  return new Promise((resolve, reject) => {
    const call = request(url, { headers: { 'accept-encoding': 'gzip' } }, (answer) => {
      let bytes = 0;
      answer.on('data', (chunk: Buffer) => {
        bytes += chunk.length;
      });
      answer.on('end', () => {
        const isRight = answer.statusCode === 200 && answer.headers['content-encoding'] === 'gzip';
        if (isRight) resolve(bytes);
        else reject(new Error(`${url} was answered ${answer.statusCode}, or not compressed`));
      });
    });
    call.on('error', reject);
    call.end();
  });
}
