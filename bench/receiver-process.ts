// A partner's receiver for the benches: https, keep-alive, 200 to every post; below /hang it never answers, below /garbage it
// answers noise: in turn bytes that are no HTTP, and a 500 with a long body. After a round it is told on /release to cut off
// whoever hangs: nobody needs to wait for them. It is somebody else's machine, and so it must cost ours as little as it can:
// it reads no more of a request than its path and its length.

import { randomBytes } from 'node:crypto';
import { createServer, type TLSSocket } from 'node:tls';
import { certificate, privateKey } from '../test/support/receiver-certificate.ts';

const NOISE = randomBytes(64 * 1024);
const YES = Buffer.from('HTTP/1.1 200 OK\r\ncontent-length: 2\r\nkeep-alive: timeout=60\r\n\r\nok');
const NO = Buffer.concat([
  Buffer.from(`HTTP/1.1 500 Internal Server Error\r\ncontent-length: ${NOISE.length}\r\n\r\n`),
  NOISE,
]);
const HEAD_ENDS = '\r\n\r\n';
const hanging = new Set<TLSSocket>();
let noisy = 0;

const server = createServer({ key: privateKey, cert: certificate }, (socket) => {
  let head = '';
  let missing = 0;
  socket.setNoDelay(true);
  socket.on('error', () => socket.destroy()); // Whoever posts may leave when they like.
  socket.on('data', (chunk: Buffer) => {
    let from = 0;
    if (missing === 0) {
      const before = head.length;
      head += chunk.toString('latin1');
      const end = head.indexOf(HEAD_ENDS);
      if (end < 0) return;
      missing = Number(/\r\ncontent-length: (\d+)/i.exec(head)?.[1] ?? 0);
      from = end + HEAD_ENDS.length - before;
    }
    missing -= chunk.length - from;
    if (missing > 0) return;
    if (missing < 0) return void socket.destroy(); // Nobody sends a second request before the first is answered.
    const [, path = ''] = head.split(' ', 2);
    head = '';
    missing = 0;
    answer(socket, path);
  });
});

function answer(socket: TLSSocket, path: string): void {
  if (path.startsWith('/hang')) hanging.add(socket);
  else if (!path.startsWith('/garbage')) {
    if (path === '/release') release();
    socket.write(YES);
  } else if (noisy++ % 2 === 0) socket.end(NOISE);
  else socket.write(NO);
}

function release(): void {
  for (const socket of hanging) socket.destroy();
  hanging.clear();
}

server.listen(Number(process.env.PORT), '127.0.0.1', () => process.send?.({ done: 'listening' }));
process.on('disconnect', () => process.exit(0));
