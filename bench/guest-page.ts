// The weight of the JavaScript on the page on which a guest pays, as our server sends it, compressed. No ratio but a size: the
// less the better.

import { request } from 'node:http';
import type { Bench, Prepared } from './bench.ts';
import type { Stage } from './stage.ts';

const SCRIPTS = ['guest.js', 'pay.js', 'pay-sandbox.js'];
const KB = 1024;

export const guestPage: Bench = {
  name: 'guest-page',
  floor: 25,
  goal: 15,
  unit: 'KB',
  better: 'less',
  isSize: true,
  note: `${SCRIPTS.join(', ')}, gzipped; with the real processor pay-stripe.js stands in for pay-sandbox.js, and its own script comes from its own address.`,
  rounds: { full: 1, quick: 1 },
  sides: { ours: 'the scripts of the page', base: 'the most that they may weigh' },
  prepare,
};

async function prepare(stage: Stage): Promise<Prepared> {
  const server = await stage.startOurs();
  const ours = async (): Promise<number> => {
    const sizes = await Promise.all(SCRIPTS.map((name) => bytesOf(`http://127.0.0.1:${server.port}/guest/${name}`)));
    return sizes.reduce((sum, size) => sum + size, 0) / KB;
  };
  return { ours, base: async () => guestPage.floor, close: () => server.stop() };
}

function bytesOf(url: string): Promise<number> {
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
