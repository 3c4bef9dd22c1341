// A partner's receiver that notes when it holds each event. It runs in the bench's own process, which is idle meanwhile,
// so that both ends of a latency are read from one clock.

import { createServer } from 'node:https';
import type { AddressInfo } from 'node:net';
import { certificate, privateKey } from '../test/support/receiver-certificate.ts';

const MAX_WAIT_MS = 30_000;

export interface EventReceiver {
  readonly url: string;
  /** When the receiver held the event about this object, in milliseconds of performance.now(); waits for it. */
  heldAt(type: string, id: string): Promise<number>;
  close(): Promise<void>;
}

export async function openEventReceiver(): Promise<EventReceiver> {
  const held = new Map<string, number>();
  const waiting = new Map<string, (at: number) => void>();
  const server = createServer({ key: privateKey, cert: certificate, keepAliveTimeout: 60_000 }, (request, response) => {
    const chunks: Buffer[] = [];
    request.on('data', (chunk: Buffer) => chunks.push(chunk));
    request.on('end', () => {
      const at = performance.now();
      response.end('ok');
      const { type, data } = JSON.parse(Buffer.concat(chunks).toString()) as {
        type: string;
        data: { object: { id: string } };
      };
      const name = `${type} ${data.object.id}`;
      if (!held.has(name)) held.set(name, at);
      waiting.get(name)?.(at);
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  return {
    url: `https://127.0.0.1:${port}/hooks`,
    heldAt(type, id) {
      const name = `${type} ${id}`;
      return new Promise((resolve, reject) => {
        const at = held.get(name);
        if (at !== undefined) return resolve(at);
        const timer = setTimeout(() => reject(new Error(`${name} did not arrive in 30 s`)), MAX_WAIT_MS);
        waiting.set(name, (arrivedAt) => {
          clearTimeout(timer);
          waiting.delete(name);
          resolve(arrivedAt);
        });
      });
    },
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}
