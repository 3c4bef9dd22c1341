// A partner's receiver for the benches: https, keep-alive, 200 to every post; below /hang it never answers,
// below /garbage it answers noise: in turn bytes that are no HTTP, and a 500 with a long body.

import { randomBytes } from 'node:crypto';
import { createServer } from 'node:https';
import { certificate, privateKey } from '../test/outbound/receiver-certificate.ts';

const NOISE = randomBytes(64 * 1024);
let noisy = 0;

const server = createServer({ key: privateKey, cert: certificate, keepAliveTimeout: 60_000 }, (request, response) => {
  request.resume();
  if (request.url?.startsWith('/hang')) return;
  request.on('end', () => {
    if (!request.url?.startsWith('/garbage')) return response.end('ok');
    if (noisy++ % 2 === 0) return request.socket.end(NOISE);
    response.statusCode = 500;
    return response.end(NOISE);
  });
});
server.listen(Number(process.env.PORT), '127.0.0.1', () => process.send?.({ done: 'listening' }));
process.on('disconnect', () => process.exit(0));
