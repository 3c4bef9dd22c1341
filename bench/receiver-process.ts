// A partner's receiver for the benches: https, keep-alive, 200 to every post. Below /hang it never answers; below
// /garbage it answers alternately bytes that are not HTTP and a 500 with a long body; below /refuse a short 500 to every
// checkout.created. A post to /release closes the connections that hang, so that the bench need not wait for them. A real
// receiver runs on another machine, so this one uses as little time as possible: it reads only the path, the length and
// the first bytes of a request.

import { randomBytes } from 'node:crypto';
import { createServer, type TLSSocket } from 'node:tls';
import { certificate, privateKey } from '../test/support/receiver-certificate.ts';

const NOISE = randomBytes(64 * 1024);
const OK_REPLY = Buffer.from('HTTP/1.1 200 OK\r\ncontent-length: 2\r\nkeep-alive: timeout=60\r\n\r\nok');
const SERVER_ERROR_REPLY = Buffer.concat([
  Buffer.from(`HTTP/1.1 500 Internal Server Error\r\ncontent-length: ${NOISE.length}\r\n\r\n`),
  NOISE,
]);
const REFUSED_REPLY = Buffer.from('HTTP/1.1 500 Internal Server Error\r\ncontent-length: 0\r\n\r\n');
const REFUSED_TYPE = '"type":"checkout.created"';
const HEAD_END = '\r\n\r\n';
const hanging = new Set<TLSSocket>();
let garbageReplies = 0;

const server = createServer({ key: privateKey, cert: certificate }, (socket) => {
  let head = '';
  let bodyBytesLeft = 0;
  socket.setNoDelay(true);
  socket.on('error', () => socket.destroy()); // The sender may close the connection at any time.
  socket.on('data', (chunk: Buffer) => {
    let from = 0;
    if (bodyBytesLeft === 0) {
      const before = head.length;
      head += chunk.toString('latin1');
      const end = head.indexOf(HEAD_END);
      if (end < 0) return;
      bodyBytesLeft = Number(/\r\ncontent-length: (\d+)/i.exec(head)?.[1] ?? 0);
      from = end + HEAD_END.length - before;
    }
    bodyBytesLeft -= chunk.length - from;
    if (bodyBytesLeft > 0) return;
    // A sender must not send a second request before the first response.
    if (bodyBytesLeft < 0) return void socket.destroy();
    const [, path = ''] = head.split(' ', 2);
    const isRefused = path.startsWith('/refuse') && (head + chunk.toString('latin1')).includes(REFUSED_TYPE);
    head = '';
    bodyBytesLeft = 0;
    if (isRefused) socket.write(REFUSED_REPLY);
    else reply(socket, path);
  });
});

function reply(socket: TLSSocket, path: string): void {
  if (path.startsWith('/hang')) hanging.add(socket);
  else if (!path.startsWith('/garbage')) {
    if (path === '/release') release();
    socket.write(OK_REPLY);
  } else if (garbageReplies++ % 2 === 0) socket.end(NOISE);
  else socket.write(SERVER_ERROR_REPLY);
}

function release(): void {
  for (const socket of hanging) socket.destroy();
  hanging.clear();
}

server.listen(Number(process.env.PORT), '127.0.0.1', () => process.send?.({ result: 'listening' }));
process.on('disconnect', () => process.exit(0));
