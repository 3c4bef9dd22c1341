// Sends raw bytes, as a broken client would, and returns everything that came back.

import { connect } from 'node:net';

/** A response that has begun comes to its end within this time. */
const REST_MS = 500;

export function sendRaw(url: string, bytes: string): Promise<string> {
  const { hostname, port } = new URL(url);
  return new Promise((resolve, reject) => {
    const socket = connect(Number(port), hostname, () => socket.write(bytes));
    let text = '';
    socket.on('data', (chunk) => {
      text += chunk;
    });
    socket.once('data', () => setTimeout(() => socket.end(), REST_MS));
    socket.setTimeout(60_000, () => socket.destroy());
    socket.on('close', () => resolve(text));
    socket.on('error', reject);
  });
}
